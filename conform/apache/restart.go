package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"time"
)

// wish is a command's wish to have the broker killed and started again.
type wish struct {
	down   time.Duration // for how long
	answer chan error
}

// wishes listens for restarts: a connection to the address sends a line with a
// duration, as "3s", and reads "ok" once the broker answers again, or what went
// wrong.
func wishes(ctx context.Context) (address string, all <-chan wish, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	context.AfterFunc(ctx, func() { _ = l.Close() })
	ws := make(chan wish)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go hear(ctx, c, ws)
		}
	}()
	return l.Addr().String(), ws, nil
}

// hear passes on one wish.
func hear(ctx context.Context, c net.Conn, ws chan<- wish) {
	defer func() { _ = c.Close() }()
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return
	}
	down, err := time.ParseDuration(strings.TrimSpace(line))
	if err == nil {
		w := wish{down, make(chan error, 1)}
		select {
		case ws <- w:
			err = <-w.answer
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		_, _ = fmt.Fprintln(c, err)
		return
	}
	_, _ = fmt.Fprintln(c, "ok")
}
