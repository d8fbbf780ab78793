import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createLineLog } from '../../../cli/controller/log.ts';
import { buildProgram } from '../../../cli/program.ts';
import { progressOn } from '../../../cli/terminal/progress.ts';
import { isConfirmed } from '../../../cli/uninstall/confirm.ts';
import { type Call, mortise } from '../call.ts';

/** Clears the screen, sets a title, moves the cursor (one C1 byte), deletes, and turns text around. */
const EVIL = 'evil\u001b[2J\u001b]0;x\u0007\u009b1A\u007f\u202egood\u2066';
/** Characters that the command must not print, besides new lines and tabs. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u;

/** Removes what draws and removes the bar of a slow command, not the text within. */
const withoutBars = (text: string): string => text.replaceAll('\r', '').replaceAll('\u001b[K', '');

/** The colours of the command itself. */
const withoutColours = (text: string): string =>
  text.replaceAll(new RegExp(`${String.fromCharCode(0x1b)}\\[(?:1|2|22|31|32|33|39)m`, 'g'), '');

const MANIFEST = JSON.stringify({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: EVIL, labels: { [EVIL]: EVIL } },
  spec: { [EVIL]: 1, template: { spec: { nodeClassRef: { name: EVIL }, requirements: [] } } },
});
const OLD_MANIFEST = MANIFEST.replace('karpenter.sh/v1', 'karpenter.sh/v1beta1');
const files = { 'pools.json': MANIFEST, 'old.json': OLD_MANIFEST };
const KUBECONFIG = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': EVIL,
  contexts: [{ name: EVIL, context: { cluster: EVIL, user: EVIL } }],
  clusters: [{ name: EVIL, cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: EVIL, user: { exec: { command: EVIL } } }],
});
const cluster: Call = { files: { kubeconfig: KUBECONFIG }, env: { KUBECONFIG: 'kubeconfig' } };

/** For each command, calls with names that come from outside. */
const CALLS: Readonly<Record<string, readonly (readonly [argv: readonly string[], call?: Call])[]>> = {
  start: [[['start', EVIL]], [['start', '--port', EVIL]], [['start', '-f', EVIL]]],
  simulate: [
    [['simulate', '-f', 'pools.json'], { files }],
    [['simulate', '-f', 'pools.json', '-o', 'json'], { files }],
    [['simulate', '-f', EVIL]],
  ],
  validate: [
    [['validate', '-f', 'pools.json'], { files }],
    [['validate', '-f', 'pools.json', '-o', 'json'], { files }],
    [['validate', '-f', '-'], { stdin: `${EVIL}: [` }],
  ],
  convert: [
    [['convert', '-f', 'old.json'], { files }],
    [['convert', '-f', 'old.json', '-o', 'json'], { files }],
    [['convert', '-f', EVIL]],
  ],
  describe: [[['describe', 'nodeclaim', EVIL, '--context', EVIL], cluster], [['describe', EVIL, EVIL]]],
  explain: [
    [['explain', 'pod', EVIL, '--context', EVIL], cluster],
    [['explain', 'node', EVIL, '--from', EVIL]],
    [['explain', EVIL, EVIL]],
  ],
  console: [[['console', '--from', EVIL]], [['console', '--port', EVIL]]],
  snapshot: [
    [['snapshot', '--context', EVIL], cluster],
    [['snapshot', '--context', EVIL, '--out', EVIL], cluster],
  ],
  replay: [
    [['replay', EVIL]],
    [['replay', 'pools.json', '--set', `${EVIL}=${EVIL}`], { files }],
    [['replay', 'pools.json', '--decision', EVIL], { files }],
  ],
  'instance-types': [[['instance-types', EVIL]], [['instance-types', '--region', EVIL]]],
  catalogue: [
    [['catalogue', '--region', EVIL]],
    [['catalogue', '--region', 'eu-north-1', '--profile', EVIL, '--out', EVIL]],
  ],
  controller: [
    [['controller', '--context', EVIL], cluster],
    [['controller', '--cluster', EVIL, '--region', EVIL, '-o', 'json'], cluster],
  ],
  uninstall: [
    [['uninstall', '--context', EVIL], cluster],
    [['uninstall', '--cluster', EVIL, '--region', EVIL, '-o', 'json'], cluster],
  ],
  deploy: [[['deploy', '--cluster', EVIL, '--region', EVIL], cluster]],
  diff: [[['diff', '--cluster', EVIL, '-o', 'json'], cluster]],
  destroy: [[['destroy', '--cluster', EVIL, '--region', EVIL], cluster]],
  template: [
    [['template', '--cluster', EVIL, '--out', EVIL]],
    [['template', '--cluster', 'shop', '--out', 'pools.json', '--set', `maxNodes=${EVIL}`], { files }],
  ],
  logs: [
    [['logs', EVIL, EVIL], cluster],
    [['logs', 'node', EVIL, '--cluster', EVIL, '--region', EVIL, '-o', 'json'], cluster],
  ],
  'try-launch': [
    [['try-launch', '--context', EVIL], cluster],
    [['try-launch', '--cluster', EVIL, '--nodepool', EVIL, '--region', EVIL, '--yes', EVIL], cluster],
  ],
  doctor: [
    [['doctor', '--context', EVIL], cluster],
    [['doctor', '--cluster', EVIL, '--region', EVIL, '-o', 'json'], cluster],
  ],
  reasons: [[['reasons', EVIL]], [['reasons', EVIL, '-o', 'json']]],
  schema: [[['schema', EVIL]]],
  config: [[['config', EVIL]], [['config'], { env: { MORTISE_OUTPUT: EVIL, MORTISE_CLUSTER: EVIL } }]],
  completion: [[['completion', EVIL]]],
  version: [[['version', EVIL]], [['version', `--${EVIL}`]]],
  help: [[['help', EVIL]]],
  complete: [[['complete', '--', EVIL]], [['complete', 'reasons', EVIL]]],
};

const TERMINAL = { columns: 80, rows: 1_000 };

describe('names that would change a terminal', () => {
  it('are tried on every command', () => {
    const output = { write: () => undefined };
    const io = { stdin: new PassThrough(), stdout: output, stderr: output, env: {}, cwd: '/' };
    const program = buildProgram(io, async () => undefined);
    expect(Object.keys(CALLS).toSorted()).toEqual(program.commands.map((command) => command.name()).toSorted());
  });

  it.each(
    Object.values(CALLS).flatMap((calls) => calls.map(([argv, call]) => [JSON.stringify(argv), argv, call] as const)),
  )('are escaped by the command %s', async (_, argv, call = {}) => {
    const { stdout, stderr } = await mortise(argv, { ...call, tty: TERMINAL });

    expect(stdout + stderr).not.toBe('');
    expect(withoutColours(stdout)).not.toMatch(UNSAFE);
    expect(withoutColours(withoutBars(stderr))).not.toMatch(UNSAFE);
  });

  it('are escaped in progress, which stays on one line', () => {
    vi.useFakeTimers();
    const texts: string[] = [];
    const progress = progressOn({ isTTY: true, write: (text) => texts.push(text) });
    progress.report(`draining ${EVIL}\nnext`);
    vi.advanceTimersByTime(1_000);
    vi.useRealTimers();

    const [text = ''] = texts;
    const drawn = text.slice('\r'.length, -'\u001b[K'.length);
    expect(drawn).toContain('draining evil\\u001b[2J');
    expect(drawn).not.toMatch(UNSAFE);
    expect(drawn).not.toContain('\n');
  });

  it('are escaped in the question before an uninstall', async () => {
    const shown: string[] = [];
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end('another name\n');
    const stderr = { isTTY: true, write: (text: string) => shown.push(text) };
    const io = { stdin, stdout: stderr, stderr, env: {}, cwd: '/' };

    await expect(isConfirmed({ cluster: EVIL, mayAsk: true, plan: `terminate ${EVIL}\n` }, io)).rejects.toThrow();
    expect(shown.join('')).toContain('terminate evil\\u001b[2J');
    expect(shown.join('')).not.toMatch(UNSAFE);
  });

  it.each(['json', 'text'] as const)('are escaped in the %s log of the controller', (format) => {
    const lines: string[] = [];
    const log = createLineLog(
      { write: (text) => lines.push(text) },
      { clock: { now: () => 0 }, format, minLevel: 'info' },
    );
    log({ level: 'info', message: EVIL, fields: { node: EVIL } });
    expect(lines.join('')).not.toMatch(UNSAFE);
    if (format === 'json') expect(JSON.parse(lines.join(''))).toMatchObject({ node: EVIL });
  });

  it.each([
    ['a line break', 'web\n1970-01-01T00:00:00Z  node removed'],
    ['a carriage return', 'web\r1970-01-01T00:00:00Z  node removed'],
    ['a line separator', 'web\u2028node removed'],
    ['the space between fields', 'web  node=other'],
    ['a quote', '"web"'],
  ])('forge no line and no field of the text log with %s', (_, forged) => {
    const lines: string[] = [];
    const log = createLineLog(
      { write: (text) => lines.push(text) },
      { clock: { now: () => 0 }, format: 'text', minLevel: 'info' },
    );
    log({ level: 'warn', message: forged, fields: { pod: forged, count: 1 } });
    log({ level: 'info', message: 'next', fields: { pod: 'shop/web 1' } });

    const quoted = JSON.stringify(forged);
    expect(lines).toEqual([
      `1970-01-01T00:00:00Z  warn: ${quoted}  pod=${quoted}  count=1\n`,
      '1970-01-01T00:00:00Z  next  pod=shop/web 1\n',
    ]);
  });
});
