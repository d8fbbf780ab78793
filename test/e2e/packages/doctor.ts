import { listAt, textAt, valueAt } from '../lab/json.ts';
import { CommandFailedError } from '../lab/run-command.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, type Measures } from '../scenario.ts';
import { breakagesOf, type Deploy, type Finding, findSubnets } from './doctor-breakages.ts';
import type { Installation } from './install.ts';
import { settingsOf } from './lab-objects.ts';
import { runPod } from './run-pod.ts';

/** One call of `mortise doctor`. */
interface Report {
  readonly exitCode: number;
  /** The checks that are not ok. */
  readonly findings: readonly Finding[];
}

/**
 * `mortise doctor` from the tarball on a deployed stack. Each case breaks one thing, expects the
 * finding, its fix and the exit code, follows the fix, and waits until doctor finds nothing.
 */
export async function checkDoctor(lab: Lab, from: Installation): Promise<Measures> {
  const deploy = deployWith(lab, from);
  const role = await deploy.create();
  await runPod(lab, { id: 'doctor', role });
  await lab.kubectl(['scale', '-n', 'doctor', 'deployment/web', '--replicas=0']);

  const breakages = breakagesOf(lab, { role, subnets: await findSubnets(lab), deploy });
  for (const { title, breakIt, expected, repair } of breakages) {
    lab.say(`doctor: ${title}`);
    await breakIt();
    const broken = await waitUntil(
      `the finding of "${title}"`,
      async () => {
        const report = await examine(from);
        if (report.findings.some((finding) => isExpected(finding, expected))) return report;
        throw new Error(listFindings(report));
      },
      { timeoutMs: 60_000, everyMs: 1_000 },
    );
    const finding = broken.findings.find((one) => isExpected(one, expected));
    const fix = finding?.fix ?? '';
    expect(fix.includes(expected.fix), `${title}: the fix is ${fix}`);
    expectExitCode(title, broken, expected.status === 'fail' ? 1 : 0);
    expectExitCode(`${title}, --strict`, await examine(from, '--strict'), 1);
    const text = await outputOf(from, []);
    expect(text.includes(`fix: ${fix}`), `${title}: the text does not show the fix:\n${text}`);

    await repair(fix);
    await waitUntilContent(from, title);
  }
  await deploy.remove();
  return { cases: breakages.length };
}

const isExpected = (finding: Finding, expected: { id: string; status: string; evidence: RegExp }) =>
  finding.id === expected.id && finding.status === expected.status && expected.evidence.test(finding.evidence);

function expectExitCode(what: string, { exitCode, findings }: Report, expected: number): void {
  expect(
    exitCode === expected,
    `${what}: the exit code is ${exitCode}, not ${expected}:\n${listFindings({ exitCode, findings })}`,
  );
}

const listFindings = ({ findings }: Report): string =>
  findings.map(({ id, status, evidence }) => `${id}: ${status}: ${evidence}`).join('\n');

/** Waits until doctor has no finding, not even a warning, but that nodes rest after the hand-over from the deployment before. */
const waitUntilContent = (from: Installation, title: string): Promise<true> =>
  waitUntil(
    `doctor to find nothing after "${title}"`,
    async () => {
      const report = await examine(from);
      const others = report.findings.filter(({ id }) => id !== 'stack/quiet');
      if (report.exitCode === 0 && others.length === 0) return true;
      throw new Error(listFindings(report));
    },
    { timeoutMs: 120_000, everyMs: 1_000 },
  );

async function examine(from: Installation, ...flags: readonly string[]): Promise<Report> {
  let exitCode = 0;
  const output = await outputOf(from, ['-o', 'json', ...flags], (code) => {
    exitCode = code;
  });
  const checks = listAt(JSON.parse(output), 'result', 'checks');
  expect(checks.length > 0, 'doctor made no check');
  const findings = checks
    .map((check) => ({
      id: textAt(check, 'id'),
      status: textAt(check, 'status'),
      evidence: textAt(check, 'evidence'),
      fix: textAt(check, 'fix'),
    }))
    .filter(({ status }) => status !== 'ok');
  return { exitCode, findings };
}

/** Doctor writes its answer also with the exit code 1. */
async function outputOf(
  { mortise }: Installation,
  flags: readonly string[],
  onExitCode: (code: number) => void = () => undefined,
): Promise<string> {
  try {
    return await mortise('doctor', '--cluster', CLUSTER, ...flags);
  } catch (error) {
    if (!(error instanceof CommandFailedError) || error.exitCode !== 1) throw error;
    onExitCode(error.exitCode);
    return error.output;
  }
}

/** `mortise deploy`, `destroy` and `uninstall` of the lab's cluster. */
function deployWith(lab: Lab, { mortise }: Installation): Deploy {
  const settings = Object.entries(settingsOf(lab)).flatMap(([name, value]) => [...['--set', `${name}=${value}`]]);
  const flags = ['--cluster', CLUSTER, ...settings, '-o', 'json'];
  const destroy = async (...more: readonly string[]): Promise<void> => {
    const removed: unknown = JSON.parse(await mortise('destroy', ...flags, '--yes', CLUSTER, ...more));
    expect(valueAt(removed, 'result', 'changed') === true, 'the stack was not removed');
  };
  return {
    async create() {
      const deployed: unknown = JSON.parse(await mortise('deploy', ...flags));
      return textAt(deployed, 'result', 'outputs', 'NodeRoleName');
    },
    destroy,
    async remove() {
      await mortise('uninstall', '--cluster', CLUSTER, '--yes', CLUSTER, '--crds');
      await destroy();
    },
  };
}
