package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

// runEtcd serves one member until it is told to end. It takes those flags of the original program that
// the tests use. It keeps nothing that would survive a crash: each run starts from an empty folder.
func runEtcd(args []string) error {
	flags := flag.NewFlagSet("etcd", flag.ContinueOnError)
	dataDir := flags.String("data-dir", "", "an empty folder")
	client := flags.String("listen-client-urls", "", "where clients connect")
	advertised := flags.String("advertise-client-urls", "", "where clients are told to connect")
	peer := flags.String("listen-peer-urls", "", "where members would connect")
	noFsync := flags.Bool("unsafe-no-fsync", false, "do not wait for the disk")
	if err := flags.Parse(args); err != nil {
		return err
	}

	config := embed.NewConfig()
	config.Dir = *dataDir
	config.LogLevel = "error"
	config.UnsafeNoFsync = *noFsync
	for _, each := range []struct {
		text string
		urls *[]url.URL
	}{
		{*client, &config.ListenClientUrls},
		{*advertised, &config.AdvertiseClientUrls},
		{*peer, &config.ListenPeerUrls},
		{*peer, &config.AdvertisePeerUrls},
	} {
		parsed, err := url.Parse(each.text)
		if err != nil {
			return err
		}
		*each.urls = []url.URL{*parsed}
	}
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer server.Close()

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	select {
	case <-server.Server.ReadyNotify():
	case err := <-server.Err():
		return err
	case <-stop:
		return nil
	}
	fmt.Println("etcd is ready")
	select {
	case err := <-server.Err():
		return err
	case <-stop:
		return nil
	}
}
