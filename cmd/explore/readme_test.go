package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what the README quotes")

// quoted is a command in a comment, and the block below it that must be what
// the command prints.
var quoted = regexp.MustCompile("(?s)<!-- explore ([^>]*) -->\n```text\n(.*?)```")

// What the README quotes is what the command prints today.
func TestReadmeQuotes(t *testing.T) {
	const path = "../../README.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	now := quoted.ReplaceAllStringFunc(string(text), func(block string) string {
		found++
		args := strings.Fields(quoted.FindStringSubmatch(block)[1])
		var stdout, stderr bytes.Buffer
		if status := run(context.Background(), args, &stdout, &stderr); status != statusHolds {
			t.Fatalf("explore %v: status %d, %s", args, status, &stderr)
		}
		return fmt.Sprintf("<!-- explore %s -->\n```text\n%s```", strings.Join(args, " "), &stdout)
	})
	if found == 0 {
		t.Fatal("the README quotes no output")
	}
	if now == string(text) {
		return
	}
	if !*update {
		t.Fatalf("the README quotes something else than the command prints (go test ./cmd/explore -run Readme -update rewrites it)")
	}
	if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every command that the README shows is one that the command line knows, and
// its scenarios exist.
func TestReadmeCommands(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`(?m)^go run \./cmd/explore (.*)$`).FindAllStringSubmatch(string(text), -1)
	if len(shown) < 5 {
		t.Fatalf("the README shows %d commands", len(shown))
	}
	for _, line := range shown {
		args := append(strings.Fields(line[1]), "--help")
		var stdout, stderr bytes.Buffer
		if status := run(context.Background(), args, &stdout, &stderr); status != statusHolds {
			t.Errorf("explore %v: status %d, %s", args, status, &stderr)
		}
	}
}
