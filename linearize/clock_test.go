package linearize

import (
	"fmt"
	"strings"
	"testing"
)

// alive is a member that joins, syncs, and is refused so many ms after its last
// heartbeat.
func alive(header string, ms int, between ...string) string {
	stamp := func(i, at int, rest string) string { return fmt.Sprintf(`{"i":%d,"t":%d,%s}`, i, at*1_000_000, rest) }
	lines := []string{header}
	at := 0
	for _, rest := range append([]string{
		`"p":0,"k":"inv","op":0,"f":"join","in":{"g":"g","m":""}`, `"p":0,"k":"fail","op":0,"out":{"err":"MEMBER_ID_REQUIRED","m":"a"}`,
		`"p":0,"k":"inv","op":1,"f":"join","in":{"g":"g","m":"a"}`, `"p":0,"k":"ok","op":1,"out":{"gen":1,"m":"a","leader":"a","members":["a"]}`,
		`"p":0,"k":"inv","op":2,"f":"sync","in":{"g":"g","m":"a","gen":1,"assign":{"a":["t-0"]}}`, `"p":0,"k":"ok","op":2,"out":{"tps":["t-0"]}`,
		`"p":0,"k":"inv","op":3,"f":"heartbeat","in":{"g":"g","m":"a","gen":1}`, `"p":0,"k":"ok","op":3,"out":{}`,
	}, between...) {
		lines = append(lines, stamp(len(lines)-1, at, rest))
		at++
	}
	heard := 6
	lines = append(lines, stamp(len(lines)-1, heard+ms-1, `"p":0,"k":"inv","op":9,"f":"heartbeat","in":{"g":"g","m":"a","gen":1}`))
	lines = append(lines, stamp(len(lines)-1, heard+ms, `"p":0,"k":"fail","op":9,"out":{"err":"UNKNOWN_MEMBER_ID"}`))
	return strings.Join(lines, "\n") + "\n"
}

// With a clock that can be trusted, a member that was just heard is in the
// group. Without one, or after its session, or when it may have left, silence
// explains the fence.
func TestFenceBeforeAnyTimer(t *testing.T) {
	const trusted = `{"kfh":1,"group_protocol":"classic","level":"wire","start":"empty","clock":{"unit":"ns","kind":"monotonic","domain":"one-host","skew":0},"session_timeout":400000000,"rebalance_timeout":1200000000}`
	leaving := []string{`"p":1,"k":"inv","op":5,"f":"leave","in":{"g":"g","m":"a"}`, `"p":1,"k":"info","op":5,"why":"timeout"`}
	for _, c := range []struct {
		name, text string
		want       Verdict
	}{
		{"at once", alive(trusted, 5), Illegal},
		{"just before its session ends", alive(trusted, 397), Illegal},
		{"when its session ends", alive(trusted, 400), Legal},
		{"without a trusted clock", alive(strings.Replace(trusted, `"skew":0`, `"skew":5000000`, 1), 5), Legal},
		{"without a rebalance timeout", alive(strings.Replace(trusted, `,"rebalance_timeout":1200000000`, "", 1), 5), Legal},
		{"when a LeaveGroup is on the way", alive(trusted, 5, leaving...), Legal},
	} {
		h, err := Read(c.name, strings.NewReader(c.text))
		if err != nil {
			t.Fatal(c.name, err)
		}
		r := Check(h, Options{})
		if r.Verdict != c.want {
			t.Errorf("%s: %s, right would be %s (%v)", c.name, r.Verdict, c.want, r.Findings)
		}
		if c.want == Illegal && (len(r.Findings) == 0 || r.Findings[0].Anomaly != "unjustified-fence") {
			t.Errorf("%s: %v", c.name, r.Findings)
		}
	}
}
