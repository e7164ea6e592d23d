// Explore checks the fencing rules of Kafka's consumer groups: it explores
// scenarios, tells counterexamples, and judges recorded histories. `explore`
// alone says what to try first, `explore help` lists the commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends it at once
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	os.Exit(status)
}
