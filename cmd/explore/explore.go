package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fencecheck/counterexamples"
)

// The exit statuses. Of several scenarios the worst decides; worst tells which
// that is.
const (
	statusHolds      = 0
	statusViolated   = 1
	statusUsage      = 2
	statusIncomplete = 3
	statusVacuous    = 4
)

// worst of two statuses: what was violated stands before what was never put
// to the test, and that before what was not finished.
func worst(a, b int) int {
	rank := [...]int{statusHolds: 0, statusIncomplete: 1, statusVacuous: 2, statusViolated: 3, statusUsage: 4}
	if rank[a] >= rank[b] {
		return a
	}
	return b
}

// An app is one call of the command.
type app struct {
	ctx    context.Context
	out    *output
	status int
}

// run is the whole command: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{ctx: ctx, out: newOutput(stdout, stderr)}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out.stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		a.out.fail(err)
		return statusUsage
	}
	if err := a.out.broken(); err != nil {
		a.out.fail(fmt.Errorf("standard output: not written: %w", err))
		return statusUsage
	}
	return a.status
}

// openAll opens everything that is named, before any of it is looked at for long.
func openAll[T any](names []string, open func(name string) (T, error)) (all []T, err error) {
	for _, name := range names {
		one, err := open(name)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// mapped is what f makes of each.
func mapped[T, U any](all []T, f func(T) U) []U {
	results := make([]U, len(all))
	for i, one := range all {
		results[i] = f(one)
	}
	return results
}

const about = `Explore checks the fencing rules of Kafka's consumer groups: it searches ready
scenarios, or your own, for a way in which a rule is not enough, and shows the
shortest story that it finds.`

const statuses = `
Exit status: 0 everything holds, 1 a violation, 2 bad usage or input, 3 stopped
before the end with nothing found, 4 vacuous: what was to be checked never
occurred.`

const greeting = about + `

Try these first:

  explore run classic-eager            two members share two partitions: it holds
  explore show zombie-commit           the zombie that overwrites an offset, step by step
  explore run zombie-commit --mutate offset-commit-generation-check,offset-commit-member-check
                                       find that story yourself
  explore conform                      hold a broker to the model (kfake, in this process)
  explore list scenarios               what else there is

explore help has all commands.
`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "explore",
		Short:         "check the fencing rules of Kafka's consumer groups",
		Long:          about + "\n" + statuses,
		Version:       counterexamples.Version,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		a.out.text(greeting)
		return nil
	}
	root.AddCommand(a.runCommand(), a.walkCommand(), a.matrixCommand(), a.reductionsCommand(), a.showCommand(), a.replayCommand(), a.historyCommand(), a.conformCommand(), a.listCommand())
	return root
}
