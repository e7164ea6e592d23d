package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program puts a shell script in the place of a program.
func program(t *testing.T, folder, name, script string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

// stubs makes a PATH with nothing but the scripts.
func stubs(t *testing.T, scripts map[string]string) {
	t.Helper()
	folder := t.TempDir()
	for name, script := range scripts {
		program(t, folder, name, script)
	}
	t.Setenv("PATH", folder)
}

func testSettings(t *testing.T) settings {
	t.Helper()
	s, _, err := parse([]string{"-cache", t.TempDir(), "-patience", "5s"})
	require.NoError(t, err)
	return s
}

func TestMissingProgramsAreNamed(t *testing.T) {
	s := testSettings(t)
	stubs(t, nil)
	_, err := artifacts(context.Background(), s)
	assert.ErrorContains(t, err, "java is not found")
	stubs(t, map[string]string{"java": "exit 0"})
	_, err = artifacts(context.Background(), s)
	assert.ErrorContains(t, err, "mvn is not found")
}

func TestFailedFetchLeavesNothingBehind(t *testing.T) {
	s := testSettings(t)
	stubs(t, map[string]string{"java": "exit 0", "mvn": "echo no such artifact; exit 1"})
	_, err := artifacts(context.Background(), s)
	assert.ErrorContains(t, err, "no such artifact")
	left, err := filepath.Glob(filepath.Join(s.cache, "*", "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestFetchIsDoneOnce(t *testing.T) {
	s := testSettings(t)
	mkdir, err := exec.LookPath("mkdir")
	require.NoError(t, err)
	stubs(t, map[string]string{"java": "exit 0", "mvn": `for a; do case $a in -DoutputDirectory=*) ` + mkdir + ` "${a#*=}";; esac; done`})
	libs, err := artifacts(context.Background(), s)
	require.NoError(t, err)
	assert.DirExists(t, libs)
	stubs(t, map[string]string{"java": "exit 0"})
	again, err := artifacts(context.Background(), s)
	require.NoError(t, err)
	assert.Equal(t, libs, again)
}

func TestTakenPortIsSaid(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	_, _, err = ports(l.Addr().(*net.TCPAddr).Port)
	assert.ErrorContains(t, err, "is taken")
	port, controller, err := ports(0)
	require.NoError(t, err)
	assert.NotEqual(t, port, controller)
}

func TestBrokerThatDiesSaysItsLastWords(t *testing.T) {
	s := testSettings(t)
	stubs(t, map[string]string{"java": `case "$*" in *StorageTool*) exit 0;; esac; echo out of luck; exit 3`})
	_, err := start(context.Background(), s, t.TempDir())
	require.Error(t, err)
	assert.ErrorContains(t, err, "out of luck")
	assert.ErrorContains(t, err, "exit status 3")
}

func TestFolderThatCannotBeFormatted(t *testing.T) {
	s := testSettings(t)
	stubs(t, map[string]string{"java": "echo bad folder; exit 1"})
	_, err := start(context.Background(), s, t.TempDir())
	assert.ErrorContains(t, err, "bad folder")
}

func TestBrokerThatNeverAnswersIsEnded(t *testing.T) {
	s := testSettings(t)
	s.patience = 300 * time.Millisecond
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	stubs(t, map[string]string{"java": `case "$*" in *StorageTool*) exit 0;; esac; echo still busy; exec ` + sleep + ` 60`})
	begun := time.Now()
	_, err = start(context.Background(), s, t.TempDir())
	require.Error(t, err)
	assert.ErrorContains(t, err, "did not answer within 300ms")
	assert.Less(t, time.Since(begun), 20*time.Second)
}

func TestCommandsStatusIsOurs(t *testing.T) {
	b := &broker{address: "127.0.0.1:1", died: make(chan struct{}), log: &tail{}}
	status, err := b.attend(context.Background(), []string{"sh", "-c", `test "$FENCECHECK_BOOTSTRAP" = 127.0.0.1:1 && exit 7`})
	require.NoError(t, err)
	assert.Equal(t, 7, status)
	_, err = b.attend(context.Background(), []string{"no-such-command-here"})
	assert.Error(t, err)
}

func TestCommandCanRestartTheBroker(t *testing.T) {
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	s := testSettings(t)
	stubs(t, map[string]string{"java": "exit 3"})
	b := &broker{settings: s, address: "127.0.0.1:1", folder: t.TempDir(), died: make(chan struct{}), log: &tail{}}
	status, err := b.attend(context.Background(), []string{sh, "-c", "test -n \"$" + Restart + "\" && exit 5"})
	require.NoError(t, err)
	assert.Equal(t, 5, status)

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	address, ws, err := wishes(ctx)
	require.NoError(t, err)
	for _, c := range []struct {
		line, answer string
		err          error
	}{{"20ms", "ok", nil}, {"1s", "no broker", errors.New("no broker")}, {"soon", "time: invalid duration \"soon\"", nil}} {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		_, err = fmt.Fprintln(conn, c.line)
		require.NoError(t, err)
		if c.line != "soon" {
			w := <-ws
			assert.Equal(t, c.line, w.down.String())
			w.answer <- c.err
		}
		got, err := io.ReadAll(conn)
		require.NoError(t, err)
		assert.Equal(t, c.answer+"\n", string(got))
	}
}

func TestStandardInput(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	done := closed(r)
	require.NoError(t, w.Close())
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("the end of a pipe is not noticed")
	}
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	select {
	case <-closed(null):
		t.Fatal("a job in the background would end at once")
	case <-time.After(50 * time.Millisecond):
	}
}

func TestProperties(t *testing.T) {
	s := testSettings(t)
	text := s.properties("/data here", 1, 2)
	assert.Contains(t, text, "listeners=PLAINTEXT://127.0.0.1:1,CONTROLLER://127.0.0.1:2\n")
	assert.Contains(t, text, "group.min.session.timeout.ms=100\n")
	assert.NotContains(t, text, "group.max.size")
	s.maxSize = 3
	assert.Contains(t, s.properties("/", 1, 2), "group.max.size=3\n")
	for line := range strings.Lines(text) {
		assert.Contains(t, line, "=")
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var log tail
	for range 5000 {
		_, err := log.Write([]byte("many words of little use\n"))
		require.NoError(t, err)
	}
	_, err := log.Write([]byte("the end\n"))
	require.NoError(t, err)
	assert.LessOrEqual(t, len(log.text), kept)
	assert.True(t, strings.HasSuffix(log.lines(2), "\nthe end"))
}
