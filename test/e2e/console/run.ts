import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchChromium, openConsole } from '../../browser/support/chromium.ts';
import { textAt } from '../lab/json.ts';
import { applyCrds } from '../lab/kubernetes/apply-crds.ts';
import { type ControlPlane, startControlPlane } from '../lab/kubernetes/control-plane.ts';
import { findControlPlane } from '../lab/kubernetes/control-plane-binary.ts';
import { createKubectl } from '../lab/kubernetes/kubectl.ts';
import { writeKubeconfig } from '../lab/kubernetes/kubernetes-files.ts';
import { createPrograms } from '../lab/programs.ts';
import { REPOSITORY } from '../lab/repository.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect } from '../scenario.ts';
import {
  binding,
  claimedNode,
  groupNode,
  LIMITED_ROLE,
  NODE_CLASS,
  NODE_CLASS_STATUS,
  NODE_POOL,
  NODE_STATUS,
  nodeClaim,
  nodeClaimStatus,
  pod,
  READER_ROLE,
  RUNNING,
} from './objects.ts';

/**
 * `npm run e2e -- console`: `mortise console` on a real control plane, in Chromium, for a cluster with
 * node groups, then with Karpenter's objects. Without AWS. `--pictures DIR` keeps screenshots.
 */
const { values: flags } = parseArgs({ options: { pictures: { type: 'string' } } });

const MAX_APPEARANCE_MS = 2_000;
const READER = 'system:serviceaccount:default:console-reader';

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const folder = mkdtempSync(join(tmpdir(), 'mortise-console-'));
const programs = createPrograms(folder);
const measures: Record<string, number | string> = {};
let browser: Browser | undefined;
let failure: unknown;
try {
  const auditLog = join(folder, 'audit.log');
  const controlPlane = await startControlPlane({
    programs,
    findPart: await findControlPlane(say),
    folder,
    tokenReviewUrl: 'http://127.0.0.1:1/',
    // Nodes without a kubelet would be marked as not ready.
    withoutControllers: true,
    more: { apiserver: auditFlags(auditLog) },
  });
  const kubectl = createKubectl(controlPlane.kubectl, controlPlane.kubeconfig);
  const apply = (object: object): Promise<string> => kubectl(['apply', '-f', '-'], object);
  const setStatus = (what: string, status: object): Promise<string> =>
    kubectl(['patch', ...what.split(' '), '--subresource=status', '--type=merge', '-p', JSON.stringify(status)]);
  const addNode = async (name: string, object: object): Promise<void> => {
    await apply(object);
    await setStatus(`node ${name}`, NODE_STATUS);
    // Without kube-controller-manager, nothing else removes the taint of a new Node.
    await kubectl(['taint', 'node', name, 'node.kubernetes.io/not-ready-']);
  };
  const runPod = async (name: string, cpu: string, node: string): Promise<void> => {
    await apply(pod(name, cpu, node));
    await setStatus(`-n shop pod ${name}`, RUNNING);
  };
  const accountConfig = async (account: string): Promise<string> => {
    const role = account === 'console-reader' ? READER_ROLE : LIMITED_ROLE;
    await apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account } });
    await apply(role);
    await apply(binding(role.metadata.name, account));
    const token = (await kubectl(['create', 'token', account])).trim();
    return writeKubeconfig(folder, account, {
      url: controlPlane.url,
      authority: controlPlane.certificate.cert,
      user: { name: account, token, groups: [] },
    });
  };

  await waitUntil('the default namespace', () => kubectl(['get', 'namespace', 'default']));
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  for (const index of [1, 2, 3]) await addNode(`ip-10-0-0-${index}`, groupNode(`ip-10-0-0-${index}`, index));
  for (const index of [1, 2, 3, 4]) await runPod(`web-${index}`, '1500m', 'ip-10-0-0-1');
  await runPod('api-1', '1', 'ip-10-0-0-2');
  await apply(pod('train-1', '40'));

  const reader = await accountConfig('console-reader');
  browser = await launchChromium();

  say('a cluster with node groups and without NodePools');
  const url = await startConsole('console', reader);
  const { page } = await openConsole(browser, url);
  await seeText(page, 'vital-nodes', /3/);
  await seeText(page, 'vital-cost', /\$1\.15/);
  await seeText(page, 'pending-lane', /shop\/train-1.*Needs a node: \w+\.\d*xlarge on-demand us-east-1a would do/s);
  await seeText(page, 'notices', /no NodePools/);
  await seeText(page, 'proposal', /saves \$0\.\d+\/h/i);
  await page.getByTestId('node-ip-10-0-0-1').click();
  await seeText(page, 'explain-panel', /m6i\.2xlarge/);
  await takePictures(browser, url, 'groups');

  say('a pod that kubectl creates');
  measures.appearedMs = await measureAppearance(page, 'fresh-1', () => apply(pod('fresh-1', '100m')));
  expect(Number(measures.appearedMs) < MAX_APPEARANCE_MS, `the pod appeared after ${measures.appearedMs} ms`);

  say('an outage of the API server');
  measures.recoveredMs = await checkOutage(page, controlPlane, () => apply(pod('fresh-2', '100m')));

  say('Karpenter’s objects');
  await applyCrds(kubectl);
  await apply(NODE_CLASS);
  await setStatus('ec2nodeclass default', NODE_CLASS_STATUS);
  await apply(NODE_POOL);
  for (const index of [4, 5]) {
    const name = `ip-10-0-0-${index}`;
    await addNode(name, claimedNode(name, index));
    await apply(nodeClaim(`general-${index}`));
    await setStatus(`nodeclaim general-${index}`, nodeClaimStatus(name, index));
    await runPod(`cart-${index}`, '500m', name);
  }
  await page.getByTestId('node-general-4').waitFor({ state: 'attached', timeout: 60_000 });
  await seeText(page, 'pending-lane', /NodePool general: cpu \d+ of 32 in use/, 60_000);
  await seeText(page, 'proposal', /general-[45]/, 60_000);
  await takePictures(browser, url, 'karpenter');

  say('a user who may read pods and nodes only');
  const limitedUrl = await startConsole('limited', await accountConfig('console-limited'));
  const { page: limitedPage } = await openConsole(browser, limitedUrl);
  await seeText(limitedPage, 'notices', /Not allowed to list and watch .*nodepools/);
  await seeText(limitedPage, 'vital-nodes', /5/);
  await takePictures(browser, limitedUrl, 'limited');

  const audited = readAudit(auditLog);
  const writes = audited.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
  expect(audited.length > 0, 'the audit log has no request of the console');
  expect(writes.length === 0, `the console wrote: ${JSON.stringify(writes.slice(0, 5))}`);
  measures.reads = audited.length;
} catch (error) {
  failure = error;
  say(programs.tails(12));
}
await browser?.close();
await programs.endAll();
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${JSON.stringify(measures)}\n`);
if (failure !== undefined) say(failure instanceof Error ? `${failure.message}\n${failure.stack}` : String(failure));
process.exit(failure === undefined ? 0 : 1);

function auditFlags(log: string): readonly string[] {
  const policy = join(folder, 'audit-policy.yaml');
  writeFileSync(
    policy,
    'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [ResponseComplete]\nrules: [{ level: Metadata }]\n',
  );
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, '--audit-log-mode=blocking'];
}

function readAudit(log: string): readonly { readonly verb: string; readonly path: string }[] {
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  return lines
    .map((line): unknown => JSON.parse(line))
    .filter((entry) => textAt(entry, 'user', 'username') === READER)
    .map((entry) => ({ verb: textAt(entry, 'verb'), path: textAt(entry, 'requestURI') }));
}

async function startConsole(name: string, kubeconfig: string): Promise<string> {
  const program = programs.start({
    name,
    command: 'node',
    args: ['cli/mortise.ts', 'console', '--kubeconfig', kubeconfig, '--port', '0'],
    cwd: REPOSITORY,
    // No credentials: prices are the bundled ones.
    environment: { HOME: folder },
  });
  let url = '';
  await programs.ready(program, async () => {
    const printed = /^Console: (\S+)$/m.exec(readFileSync(program.logFile, 'utf8'))?.[1];
    if (printed === undefined) throw new Error('not ready');
    url = printed;
  });
  return url;
}

function seeText(page: Page, testId: string, text: RegExp, timeout = 20_000): Promise<void> {
  return page.getByTestId(testId).filter({ hasText: text }).waitFor({ timeout });
}

async function hasPod(page: Page, key: string): Promise<boolean> {
  const script = `window.mortiseConsole?.hasPod(${JSON.stringify(key)}) ? 'seen' : ''`;
  return (await page.evaluate(script)) === 'seen';
}

/** @returns the time from the start of kubectl to the pod on the page */
async function measureAppearance(page: Page, name: string, create: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await create();
  await waitUntil(`pod ${name} on the page`, () => hasPod(page, `shop/${name}`), {
    timeoutMs: 10_000,
    everyMs: 20,
  });
  return Math.round(performance.now() - began);
}

/** @returns the time from the start of the API server to the new pod on the page */
async function checkOutage(page: Page, controlPlane: ControlPlane, create: () => Promise<unknown>): Promise<number> {
  const nodes = await page.getByTestId('vital-nodes').innerText();
  await controlPlane.stopApiServer();
  await page.locator('[data-testid="connection"][data-state="outage"]').waitFor({ timeout: 60_000 });
  await seeText(page, 'connection', /API server/);
  expect((await page.getByTestId('vital-nodes').innerText()) === nodes, 'the picture changed');
  await controlPlane.startApiServer();
  const began = performance.now();
  await waitUntil('kubectl', create, { timeoutMs: 30_000 });
  await page.locator('[data-testid="connection"][data-state="live"]').waitFor({ timeout: 60_000 });
  await waitUntil('the pod after the outage', () => hasPod(page, 'shop/fresh-2'), {
    timeoutMs: 60_000,
  });
  return Math.round(performance.now() - began);
}

async function takePictures(within: Browser, url: string, name: string): Promise<void> {
  if (flags.pictures === undefined) return;
  mkdirSync(flags.pictures, { recursive: true });
  for (const theme of ['light', 'dark'] as const) {
    const { page } = await openConsole(within, url, { theme });
    await page.waitForTimeout(700);
    await page.screenshot({ path: join(flags.pictures, `${name}-${theme}.png`) });
    await page.close();
  }
}
