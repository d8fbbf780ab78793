import { describe, expect, it } from 'vitest';
import { AL2, AL2023, BOTTLEROCKET, CUSTOM, type GoldenCase, PLAIN, userDataFor, WINDOWS } from './golden-cases.ts';
import { readBootstrapScript } from './readers/bootstrap-call.ts';
import { readBottlerocket, readSettings } from './readers/bottlerocket.ts';
import { mimeParts } from './readers/mime-parts.ts';
import { readNodeConfig } from './readers/node-config.ts';
import { readWindows } from './readers/windows.ts';

const NODE_CONFIG = 'application/node.eks.aws';
const SHELL = 'text/x-shellscript';

const golden = async (one: GoldenCase): Promise<string> => {
  const text = userDataFor(one);
  await expect(text).toMatchFileSnapshot(`golden/${one.name}.txt`);
  return text;
};

const reported = ({ reported: more }: GoldenCase) => ({ ...PLAIN, ...more });
const named = (cases: readonly GoldenCase[]) => cases.map((one) => [one.name, one] as const);

/** The custom user data as parts. */
const CUSTOM_PARTS: Readonly<Record<string, readonly { type: string; says: string }[]>> = {
  'al2-dns-raid0-script': [{ type: SHELL, says: 'echo "hello from $HOSTNAME"' }],
  'al2-multipart': [
    { type: NODE_CONFIG, says: 'config: { maxPods: 42 }' },
    { type: SHELL, says: 'echo second' },
  ],
  'al2023-raid0-script': [{ type: SHELL, says: 'echo "hello from $HOSTNAME"' }],
  'al2023-node-config': [{ type: NODE_CONFIG, says: 'config: { shutdownGracePeriod: 30s }' }],
  'al2023-multipart': [
    { type: NODE_CONFIG, says: 'config: { maxPods: 42 }' },
    { type: SHELL, says: 'echo second' },
  ],
};

describe('user data of AL2, as cloud-init and bash read it', () => {
  it.each(named(AL2))('contains all settings of the node for %s', async (name, one) => {
    const parts = await mimeParts(await golden(one));

    expect(parts.at(-1)?.type).toBe(SHELL);
    expect(readBootstrapScript(parts.at(-1)?.body ?? '')).toEqual(reported(one));
    expectCustom(parts.slice(0, -1), name);
  });
});

describe('user data of AL2023, as nodeadm reads it', () => {
  it.each(named(AL2023))('contains all settings of the node for %s', async (name, one) => {
    const parts = await mimeParts(await golden(one));

    expect(parts.at(-1)?.type).toBe(NODE_CONFIG);
    expect(readNodeConfig(parts.at(-1)?.body ?? '')).toEqual(reported(one));
    expectCustom(parts.slice(0, -1), name);
  });
});

function expectCustom(parts: Awaited<ReturnType<typeof mimeParts>>, name: string): void {
  const expected = CUSTOM_PARTS[name] ?? [];
  expect(parts.map(({ type }) => type)).toEqual(expected.map(({ type }) => type));
  for (const [index, { says }] of expected.entries()) {
    const lines = parts[index]?.body.split('\n').map((line) => line.trim());
    expect(lines).toContain(says);
    expect(parts[index]?.body).not.toContain('\r');
  }
}

describe('user data of Bottlerocket, as its API reads it', () => {
  it.each(named(BOTTLEROCKET))('contains all settings of the node for %s', async (_, one) => {
    expect(readBottlerocket(readSettings(await golden(one)))).toEqual(reported(one));
  });

  it('keeps the other settings of the user', async () => {
    const one = BOTTLEROCKET.find(({ name }) => name === 'bottlerocket-settings') ?? CUSTOM;

    expect(readSettings(userDataFor(one))).toMatchObject({
      motd: 'hello',
      network: { hostname: 'me' },
      kubernetes: { 'static-pods': { agent: { enabled: true } } },
      'bootstrap-commands': { mine: { commands: [['apiclient', 'get']], mode: 'once' } },
    });
  });
});

describe('user data of Windows, as EC2Launch and PowerShell read it', () => {
  it.each(named(WINDOWS))('contains all settings of the node for %s', async (_, one) => {
    expect(readWindows(await golden(one)).boot).toEqual(reported(one));
  });

  it('runs the custom lines first, in one script with ours', () => {
    const one = WINDOWS.find(({ name }) => name === 'windows2025-custom') ?? CUSTOM;

    const { custom } = readWindows(userDataFor(one));

    expect(custom.map((statement) => statement.map(({ value }) => value))).toEqual([
      ['Write-Host', "it's mine"],
      ['Set-Content', '-Path', '$env:TEMP\\a.txt', '-Value', 'say "hi"'],
    ]);
  });
});

describe('user data of the family Custom', () => {
  it('is the custom user data, byte for byte', async () => {
    expect(await golden(CUSTOM)).toBe(CUSTOM.spec.userData);
  });
});
