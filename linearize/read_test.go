package linearize

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencecheck/linearize/kfh"
)

const testHeader = `{"kfh":1,"group_protocol":"classic","level":"wire","start":"empty"}` + "\n"

// lines joins a header and events.
func lines(events ...string) string { return testHeader + strings.Join(events, "\n") + "\n" }

const invHeartbeat = `{"i":0,"t":5,"p":0,"k":"inv","op":1,"f":"heartbeat","in":{"g":"g","m":"a","gen":1}}`

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		line        int
		field, want string
	}{
		{"empty file", "", 1, "", "header"},
		{"no header", invHeartbeat + "\n", 1, "kfh", "want 1"},
		{"another version", `{"kfh":2}` + "\n", 1, "kfh", "found 2, want 1"},
		{"header with a wrong type", `{"kfh":1,"level":3}` + "\n", 1, "level", "a string"},
		{"header with a wrong map", `{"kfh":1,"api":[]}` + "\n", 1, "api", "a map"},
		{"header is a list", "[]\n", 1, "", "a JSON object"},
		{"not JSON", lines("what"), 2, "", "one JSON object"},
		{"two objects in a line", lines(invHeartbeat + invHeartbeat), 2, "", "one JSON object"},
		{"an empty line", lines("", invHeartbeat), 2, "", "one JSON object"},
		{"truncated last line", testHeader + invHeartbeat[:40], 2, "", "is the line complete?"},
		{"not UTF-8", lines("{\"i\":0,\"k\":\"note\",\"f\":\"\xff\"}"), 2, "", "one JSON object"},
		{"no index", lines(`{"k":"note","f":"pause"}`), 2, "i", "found nothing"},
		{"index out of order", lines(`{"i":1,"k":"note","f":"pause"}`), 2, "i", "found 1, want 0"},
		{"index twice", lines(`{"i":0,"k":"note","f":"pause"}`, `{"i":0,"k":"note","f":"resume"}`), 3, "i", "found 0, want 1"},
		{"index is a fraction", lines(`{"i":0.5,"k":"note","f":"pause"}`), 2, "i", "a whole number"},
		{"time runs backwards", lines(`{"i":0,"t":7,"k":"note","f":"pause"}`, `{"i":1,"t":6,"k":"note","f":"pause"}`), 3, "t", "at least 7"},
		{"negative time", lines(`{"i":0,"t":-7,"k":"note","f":"pause"}`), 2, "t", "from 0"},
		{"unknown kind", lines(`{"i":0,"p":0,"op":1,"k":"done"}`), 2, "k", "inv, ok, fail, info or note"},
		{"unknown request", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"joyn","in":{}}`), 2, "f", "a request that kfh/1 knows"},
		{"no process", lines(`{"i":0,"op":1,"k":"inv","f":"leave","in":{"g":"g","m":"a"}}`), 2, "p", "found nothing"},
		{"no op", lines(`{"i":0,"p":1,"k":"inv","f":"leave","in":{"g":"g","m":"a"}}`), 2, "op", "found nothing"},
		{"no arguments", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"leave"}`), 2, "in", "a JSON object"},
		{"no group", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"leave","in":{"m":"a"}}`), 2, "in.g", "a string"},
		{"group is a number", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"leave","in":{"g":1,"m":"a"}}`), 2, "in.g", "a string"},
		{"generation too low", lines(strings.Replace(invHeartbeat, `"gen":1`, `"gen":-2`, 1)), 2, "in.gen", "from -1"},
		{"generation too high", lines(strings.Replace(invHeartbeat, `"gen":1`, `"gen":2147483648`, 1)), 2, "in.gen", "to 2147483647"},
		{"partition without number", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"commit","in":{"g":"g","m":"a","gen":1,"off":{"t":1}}}`), 2, "in.off", "a topic-partition"},
		{"negative offset", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"commit","in":{"g":"g","m":"a","gen":1,"off":{"t-0":-1}}}`), 2, "in.off.t-0", "from 0"},
		{"plan is a list", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"sync","in":{"g":"g","m":"a","gen":1,"assign":[]}}`), 2, "in.assign", "a map"},
		{"null in a list", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"join","in":{"g":"g","m":"a","proto":[null]}}`), 2, "in.proto", "a list of strings"},
		{"op twice", lines(invHeartbeat, `{"i":1,"p":1,"k":"inv","op":1,"f":"leave","in":{"g":"g","m":"a"}}`), 3, "op", "a new number"},
		{"overlap in a process", lines(invHeartbeat, `{"i":1,"p":0,"k":"inv","op":2,"f":"leave","in":{"g":"g","m":"a"}}`), 3, "p", "one request at a time"},
		{"process after unknown outcome", lines(invHeartbeat, `{"i":1,"p":0,"k":"info","op":1}`, `{"i":2,"p":0,"k":"inv","op":2,"f":"leave","in":{"g":"g","m":"a"}}`), 4, "p", "a new process"},
		{"completion without invocation", lines(`{"i":0,"p":0,"k":"ok","op":1,"out":{}}`), 2, "op", "its invocation before it"},
		{"second completion", lines(invHeartbeat, `{"i":1,"p":0,"k":"ok","op":1,"out":{}}`, `{"i":2,"p":0,"k":"ok","op":1,"out":{}}`), 4, "op", "a second completion"},
		{"completion by another process", lines(invHeartbeat, `{"i":1,"p":3,"k":"ok","op":1,"out":{}}`), 3, "p", "the process of the invocation"},
		{"completion of another request", lines(invHeartbeat, `{"i":1,"p":0,"k":"ok","op":1,"f":"join","out":{}}`), 3, "f", "as in the invocation"},
		{"ok with an error", lines(invHeartbeat, `{"i":1,"p":0,"k":"ok","op":1,"out":{"err":"X"}}`), 3, "out.err", "no error"},
		{"fail without an error", lines(invHeartbeat, `{"i":1,"p":0,"k":"fail","op":1,"out":{}}`), 3, "out.err", "found nothing"},
		{"answer missing", lines(invHeartbeat, `{"i":1,"p":0,"k":"ok","op":1}`), 3, "out", "a JSON object"},
		{"partition missing", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"produce","in":{"vals":[1]}}`), 2, "in.tp", "a string"},
		{"values missing", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"produce","in":{"tp":"t-0"}}`), 2, "in.vals", "JSON scalars"},
		{"value of an object", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"produce","in":{"tp":"t-0","vals":[{}]}}`), 2, "in.vals", "JSON scalars"},
		{"sequence missing", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"produce","in":{"tp":"t-0","pid":1,"e":0,"vals":[1]}}`), 2, "in.seq", "whole number"},
		{"epoch alone", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"init-pid","in":{"x":"x","e":1}}`), 2, "in.e", "both or none"},
		{"epoch too large", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"init-pid","in":{"x":"x","pid":1,"e":40000}}`), 2, "in.e", "32767"},
		{"outcome missing", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"end-txn","in":{"x":"x","pid":1,"e":0}}`), 2, "in.commit", "true or false"},
		{"isolation", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"fetch","in":{"tp":"t-0","from":0,"iso":"none"}}`), 2, "in.iso", "read_committed"},
		{"records out of order", lines(invRead, `{"i":1,"p":0,"k":"ok","op":1,"out":{"recs":[[3,"a"],[3,"b"]]}}`), 3, "out.recs", "rising offset"},
		{"base missing", lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"produce","in":{"tp":"t-0","vals":[1]}}`, `{"i":1,"p":0,"k":"ok","op":1,"out":{}}`), 3, "out.base", "whole number"},
		{"line too long", testHeader + `{"i":0,"k":"note","f":"` + strings.Repeat("x", 1<<20) + `"}`, 2, "", "1 MiB"},
	} {
		_, err := Read("h.jsonl", strings.NewReader(c.text))
		var fault *kfh.SyntaxError
		if !errors.As(err, &fault) {
			t.Errorf("%s: got %v, want a *SyntaxError", c.name, err)
			continue
		}
		if fault.Line != c.line || fault.Field != c.field || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "h.jsonl:") {
			t.Errorf("%s: got %q (line %d, field %q), want line %d, field %q, %q", c.name, err, fault.Line, fault.Field, c.line, c.field, c.want)
		}
	}
}

const invRead = `{"i":0,"p":0,"op":1,"k":"inv","f":"fetch","in":{"tp":"t-0","from":0}}`

func TestUnsupported(t *testing.T) {
	for _, c := range []struct {
		text, what string
		line       int
	}{
		{`{"kfh":1,"group_protocol":"consumer"}`, "KIP-848", 1},
		{`{"kfh":1,"level":"api"}`, "level api", 1},
		{`{"kfh":1,"start":"unknown"}`, "start unknown", 1},
		{`{"kfh":1,"restarts":1}`, "restarts", 1},
		{lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"cg-heartbeat","in":{"g":"g"}}`), "KIP-848", 2},
		{lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"poll","in":{}}`), "poll", 2},
		{`{"kfh":1,"api":{"produce":10}}` + "\n" + `{"i":0,"p":0,"op":1,"k":"inv","f":"produce","in":{"tp":"t-0","vals":[1]}}`, "before version 11", 2},
		{lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"produce","in":{"tp":"t-0","vals":[1],"x":"x","pid":1,"e":0,"seq":0}}`,
			`{"i":1,"p":1,"op":2,"k":"inv","f":"produce","in":{"tp":"t-0","vals":[2],"pid":1,"e":0,"seq":1}}`), "without transactional id", 3},
		{lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"txn-commit","in":{"x":"x","pid":1,"e":0,"g":"g","off":{},"inst":"i"}}`), "static members", 2},
		{lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"leave","in":{"g":"g","m":"a","inst":"i"}}`), "static members", 2},
		{lines(invHeartbeat, `{"i":1,"p":0,"k":"fail","op":1,"out":{"err":"GROUP_AUTHORIZATION_FAILED"}}`), "GROUP_AUTHORIZATION_FAILED", 2},
	} {
		_, err := Read("h.jsonl", strings.NewReader(c.text))
		var refusal *kfh.UnsupportedError
		if !errors.As(err, &refusal) || refusal.Line != c.line || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%s: got %v, want line %d and %q", c.text, err, c.line, c.what)
		}
	}
}

func TestUnknownFieldsAndOpenEndsAreFine(t *testing.T) {
	text := lines(`{"i":0,"t":5,"p":0,"k":"inv","op":1,"f":"heartbeat","in":{"g":"g","gen":1,"m":"a","x":[1]},"y":{"z":null}}`,
		`{"i":1,"k":"note","f":"skew"}`)
	h, err := Read("h.jsonl", strings.NewReader(strings.TrimSuffix(text, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	if o := h.Ops[0]; o.Outcome != kfh.Unknown || o.Ret != -1 {
		t.Errorf("a request without completion is %+v", o)
	}
	var out bytes.Buffer
	if err := Write(&out, h); err != nil || out.String() != text {
		t.Errorf("written as %q, %v", out.String(), err)
	}
}

func TestWriteGivesBackWhatReadTook(t *testing.T) {
	files, err := filepath.Glob("testdata/*-1*.jsonl")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		want, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		h, err := Read(f, bytes.NewReader(want))
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := Write(&got, h); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: not the same bytes (%v)", f, err)
		}
	}
}

func TestBuilderWritesWhatReadTakes(t *testing.T) {
	h := Record(Run{Seed: 7, Clients: 3, Simple: 1, Requests: 120, UnknownPercent: 3, DelayPercent: 20})
	var first, second bytes.Buffer
	if err := Write(&first, h); err != nil {
		t.Fatal(err)
	}
	again, err := Read(h.Name, bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(&second, again); err != nil || first.String() != second.String() {
		t.Fatal("a written history reads as another one", err)
	}
	a, b := string(mustJSON(Check(h, Options{}))), string(mustJSON(Check(again, Options{})))
	if a != b {
		t.Errorf("judged as %s, and read again as %s", a, b)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(lines(invHeartbeat, `{"i":1,"p":0,"k":"ok","op":1,"out":{}}`)))
	f.Add([]byte(lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"join","in":{"g":"g","m":"","proto":["range"],"meta":1}}`,
		`{"i":1,"p":0,"k":"ok","op":1,"out":{"gen":1,"m":"a","leader":"a","members":["a"],"proto":"range"}}`,
		`{"i":2,"p":0,"op":2,"k":"inv","f":"sync","in":{"g":"g","m":"a","gen":1,"assign":{"a":["t-0"]}}}`,
		`{"i":3,"p":0,"k":"ok","op":2,"out":{"tps":["t-0"]}}`)))
	f.Add([]byte(lines(invRead, `{"i":1,"p":0,"k":"ok","op":1,"out":{"recs":[[0,"a"]],"hw":1,"lso":1,"next":1}}`)))
	f.Add([]byte(lines(`{"i":0,"p":0,"op":1,"k":"inv","f":"offset-fetch","in":{"g":"g","tps":["t-0"]}}`, `{"i":1,"p":0,"k":"info","op":1,"why":"timeout"}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := Read("fuzz", bytes.NewReader(text))
		if err != nil {
			var syntax *kfh.SyntaxError
			var refusal *kfh.UnsupportedError
			if !errors.As(err, &syntax) && !errors.As(err, &refusal) {
				t.Fatalf("error of no known type: %v", err)
			}
			return
		}
		var out bytes.Buffer
		if err := Write(&out, h); err != nil {
			t.Fatal(err)
		}
		again, err := Read("fuzz", bytes.NewReader(out.Bytes()))
		if err != nil || len(again.Ops) != len(h.Ops) {
			t.Fatalf("%v: cannot be read back: %s", err, out.Bytes())
		}
		if len(h.Ops) < 20 {
			Check(h, Options{})
		}
	})
}
