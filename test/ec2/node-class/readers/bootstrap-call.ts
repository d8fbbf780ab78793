import { bash } from './bash-words.ts';
import type { BootReading } from './boot-reading.ts';
import { readKubeletFlags } from './kubelet-flags.ts';

const HEAD = ['#!/bin/bash -xe', 'exec > >(tee /var/log/user-data.log | logger -t user-data -s 2>/dev/console) 2>&1'];

/** Reads the call of bootstrap.sh: bash runs the script, and a stub records the arguments. */
export function readBootstrapScript(script: string): BootReading {
  const lines = script.split('\n');
  const head = lines.slice(0, HEAD.length);
  if (head.join('\n') !== HEAD.join('\n')) throw new Error(`the script begins with ${head}`);
  const standIn = `function /etc/eks/bootstrap.sh { printf '%s\\0' "$@"; }`;
  return readCall(bash([standIn, ...lines.slice(HEAD.length), ''].join('\n')));
}

function readCall([cluster = '', ...rest]: readonly string[]): BootReading {
  const given = new Map<string, string>();
  for (let at = 0; at < rest.length; at += 2) given.set(rest[at] ?? '', rest[at + 1] ?? '');
  const dns = given.get('--dns-cluster-ip');
  const isIpv6 = given.get('--ip-family') === 'ipv6';
  if (dns !== undefined && dns.includes(':') !== isIpv6) throw new Error('families differ');
  if (given.get('--use-max-pods') !== 'false') throw new Error('the image counts pods itself');
  return {
    cluster,
    endpoint: given.get('--apiserver-endpoint') ?? '',
    certificateAuthority: given.get('--b64-cluster-ca') ?? '',
    dns: dns === undefined ? [] : [dns],
    usesRaid0: given.get('--local-disks') === 'raid0',
    ...readKubeletFlags(given.get('--kubelet-extra-args') ?? ''),
  };
}
