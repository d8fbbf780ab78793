import type { BootReading } from './boot-reading.ts';
import { readKubeletFlags } from './kubelet-flags.ts';
import { powershellStatements, type Token } from './powershell.ts';

export interface WindowsUserData {
  /** The statements of the user. */
  readonly custom: readonly (readonly Token[])[];
  readonly boot: BootReading;
}

/** Reads user data as EC2Launch does: one element with a script, and nothing around it. */
export function readWindows(document: string): WindowsUserData {
  const tags = [...document.matchAll(/<\/?\w+>/g)].map(([tag]) => tag);
  if (tags.join() !== '<powershell>,</powershell>') throw new Error(`its tags are ${tags}`);
  const script = /^<powershell>\n([\s\S]*)<\/powershell>\s*$/.exec(document)?.[1];
  if (script === undefined) throw new Error('there is something around the script');

  const statements = powershellStatements(script);
  const [variable = [], call = []] = statements.slice(-2);
  expectStatement(variable, [
    { kind: 'type', value: '[string]' },
    { kind: 'variable', value: '$EKSBootstrapScriptFile' },
    { kind: 'sign', value: '=' },
    { kind: 'text', value: '$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1' },
  ]);
  return { custom: statements.slice(0, -2), boot: readCall(call) };
}

function readCall([sign, variable, ...rest]: readonly Token[]): BootReading {
  expectStatement(
    [sign, variable].filter((token) => token !== undefined),
    [
      { kind: 'sign', value: '&' },
      { kind: 'variable', value: '$EKSBootstrapScriptFile' },
    ],
  );
  const given = new Map<string, string>();
  for (let at = 0; at < rest.length; at += 2) {
    const [parameter, text] = rest.slice(at, at + 2);
    if (parameter?.kind !== 'parameter' || text?.kind !== 'text') throw new Error('odd arguments');
    given.set(parameter.value, text.value);
  }
  const dns = given.get('-DNSClusterIP');
  return {
    cluster: given.get('-EKSClusterName') ?? '',
    endpoint: given.get('-APIServerEndpoint') ?? '',
    certificateAuthority: given.get('-Base64ClusterCA') ?? '',
    dns: dns === undefined ? [] : [dns],
    usesRaid0: false,
    ...readKubeletFlags(given.get('-KubeletExtraArgs') ?? ''),
  };
}

function expectStatement(statement: readonly Token[], expected: readonly Token[]): void {
  const [is, shall] = [JSON.stringify(statement), JSON.stringify(expected)];
  if (is !== shall) throw new Error(`${is} is not ${shall}`);
}
