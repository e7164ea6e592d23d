package scenarios

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"fencecheck/model"
	"fencecheck/search"
)

func TestGen(t *testing.T) {
	data, err := os.ReadFile("/tmp/pairs.txt")
	if err != nil || os.Getenv("GEN") == "" {
		t.Skip()
	}
	add := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f := strings.Fields(line)
		s, err := ByID(f[0])
		if err != nil {
			t.Fatal(err)
		}
		var ms model.Mutations
		for _, id := range strings.Split(f[1], ",") {
			m, err := MutationByID(id)
			if err != nil {
				t.Fatal(err)
			}
			ms = ms.With(m)
		}
		ctx, c := context.WithTimeout(context.Background(), 60*time.Second)
		s = s.With(ms)
		r := search.BreadthFirst(ctx, s.System(), s.Options())
		c()
		if r.Violation == nil {
			fmt.Println("NOT CAUGHT", line, r.Verdict, r.States, r.Elapsed)
			continue
		}
		fmt.Println(line, r.Violation.Property, len(r.Violation.Trace.Steps), r.States, r.Elapsed)
		add[f[0]] = append(add[f[0]], fmt.Sprintf("  - {mutate: [%s], property: %s, length: %d}\n", strings.ReplaceAll(f[1], ",", ", "), r.Violation.Property, len(r.Violation.Trace.Steps)))
	}
	for _, s := range All() {
		name := s.ID + ".yaml"
		b, _ := os.ReadFile(name)
		text := string(b)
		if i := strings.Index(text, "caught:"); i >= 0 {
			text = text[:i]
		}
		r := search.BreadthFirst(context.Background(), s.System(), s.Options())
		if r.Violation != nil {
			i := strings.Index(text, "expect:")
			text = text[:i] + fmt.Sprintf("expect: {verdict: violated, property: %s, length: %d}\n", r.Violation.Property, len(r.Violation.Trace.Steps))
		}
		fmt.Println(s.ID, r.Verdict, r.States, r.Elapsed)
		if len(add[s.ID]) > 0 {
			text += "caught:\n" + strings.Join(add[s.ID], "")
		}
		os.WriteFile(name, []byte(text), 0o644)
	}
}
