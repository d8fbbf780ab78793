// Command control-plane starts the part of a Kubernetes control plane that its first argument names.
//
// One program for all of them: they share nearly all of their code, so it is built and kept once.
package main

import (
	"fmt"
	"os"
	_ "time/tzdata" // CronJobs name time zones, and the machine may have none.

	"github.com/spf13/cobra"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// The parts that read their arguments as the original programs do.
var commands = map[string]func() *cobra.Command{
	"apiserver":          apiserver.NewAPIServerCommand,
	"scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"controller-manager": controllermanager.NewControllerManagerCommand,
	"kubectl":            kubectl.NewDefaultKubectlCommand,
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: control-plane etcd|apiserver|scheduler|controller-manager|kubectl [flags]"))
	}
	role := os.Args[1]
	os.Args = os.Args[1:]

	if role == "etcd" {
		if err := runEtcd(os.Args[1:]); err != nil {
			fail(err)
		}
		return
	}
	command, known := commands[role]
	if !known {
		fail(fmt.Errorf("control-plane has no part %q", role))
	}
	os.Exit(cli.Run(command()))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
