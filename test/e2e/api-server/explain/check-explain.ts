import { listAt, textAt } from '../../lab/json.ts';
import { createKubeClient } from '../../lab/kubernetes/admin-client.ts';
import { findNamelessRequests, readAuditLog } from '../../lab/kubernetes/audit-log.ts';
import type { ControlPlane } from '../../lab/kubernetes/control-plane.ts';
import { KARPENTER_LEASE } from '../../lab/kubernetes/karpenter-double.ts';
import { keepLease } from '../../lab/kubernetes/keep-lease.ts';
import { createKubectl } from '../../lab/kubernetes/kubectl.ts';
import { writeKubeconfig } from '../../lab/kubernetes/kubernetes-files.ts';
import type { Programs } from '../../lab/programs.ts';
import { installPythonTools } from '../../lab/python-tools.ts';
import { REPOSITORY } from '../../lab/repository.ts';
import { runCommand } from '../../lab/run-command.ts';
import { CLUSTER, deleteStack, startExplainAccount, writeRecords } from './account.ts';
import { fillCluster } from './fill-cluster.ts';
import { playKarpenter } from './play-karpenter.ts';
import { listKarpenterQuestions, listNodeQuestions, POD_QUESTIONS, type Question } from './questions.ts';

const READER = 'explain-reader';
/** The user whose requests the audit log must contain. */
export const EXPLAIN_READER = `system:serviceaccount:default:${READER}`;
const HOUR_MS = 3_600_000;

export interface ExplainParts {
  readonly controlPlane: ControlPlane;
  readonly programs: Programs;
  readonly folder: string;
  readonly say: (line: string) => void;
}

/**
 * Asks `mortise explain` 16 questions about a cluster, with the rights of `--print-role`: where
 * nothing else runs it, where another process holds Karpenter's lease, and where that process is all
 * that knows what happened, because no record of ours exists.
 *
 * @returns the failures
 */
export async function checkExplain(parts: ExplainParts): Promise<readonly string[]> {
  const { controlPlane, programs, folder, say } = parts;
  const kubectl = createKubectl(controlPlane.kubectl, controlPlane.kubeconfig);
  const kube = createKubeClient(controlPlane);
  const tools = await installPythonTools(say);
  const apiServerPort = Number(new URL(controlPlane.url).port);
  const account = await startExplainAccount({ programs, tools, folder }, apiServerPort);
  const failures: string[] = [];
  try {
    const now = Date.now();
    const restsUntil = Math.floor(now / 1000) * 1000 + HOUR_MS;
    const restsUntilText = new Date(restsUntil).toISOString().replace('.000', '');
    await fillCluster({ kubectl, kube, cloud: account.cloud }, now);
    const environment = { ...account.environment, HOME: folder };
    const ask: Ask = (...args) => mortise(args, environment);
    await kubectl(['apply', '-f', '-'], await ask('explain', '--print-role'));
    const kubeconfig = await createReader(parts, kubectl);
    const askCluster: Ask = (...args) => ask('explain', ...args, '--cluster', CLUSTER, '--kubeconfig', kubeconfig);
    const nodeQuestions = listNodeQuestions(now, restsUntilText);

    const askAbout = async (where: string, questions: Questions): Promise<void> => {
      const wrong = await askAll(askCluster, questions);
      const count = questions.pods.length + questions.nodes.length;
      say(`${wrong.length === 0 ? 'ok    ' : 'FAILED'} explain answers ${count} questions, ${where}`);
      failures.push(...wrong.map((one) => `explain, ${where}: ${one}`));
    };
    const ours = {
      pods: POD_QUESTIONS.map(withoutReport),
      nodes: nodeQuestions.map(withoutReport),
    };
    await writeRecords(account.cloud, restsUntil);
    await askAbout('alone', ours);
    const lease = await keepLease(kube, KARPENTER_LEASE);
    await writeRecords(account.cloud, restsUntil);
    await askAbout('beside Karpenter', ours);
    await lease.end();
    await deleteStack(account.cloud);
    const karpenter = await playKarpenter(kube);
    await askAbout('where Karpenter runs and no record exists', {
      pods: POD_QUESTIONS,
      nodes: listKarpenterQuestions(nodeQuestions),
    });
    await karpenter.end();
    const text = await askCluster('node', 'pdb');
    if (!text.includes('\nfix: set minAvailable of')) failures.push(`explain as text: ${text}`);
    const unexpected = readAudit(folder);
    say(`${unexpected.length === 0 ? 'ok    ' : 'FAILED'} explain only reads, says the audit log`);
    failures.push(...unexpected);
  } finally {
    await account.end();
  }
  return failures;
}

/** Resolves with the standard output; an exit code other than 0 is an error. */
type Ask = (...args: readonly string[]) => Promise<string>;

const mortise = (args: readonly string[], environment: Readonly<Record<string, string>>) =>
  runCommand({ command: 'node', args: ['cli/mortise.ts', ...args], cwd: REPOSITORY, environment });

/** Creates a user with the printed role and nothing else. */
async function createReader(
  { controlPlane, folder }: ExplainParts,
  kubectl: ReturnType<typeof createKubectl>,
): Promise<string> {
  await kubectl(['create', 'serviceaccount', READER]);
  const subject = `--serviceaccount=default:${READER}`;
  await kubectl(['create', 'clusterrolebinding', READER, '--clusterrole=mortise-reader', subject]);
  const token = (await kubectl(['create', 'token', READER])).trim();
  return writeKubeconfig(folder, READER, {
    url: controlPlane.url,
    authority: controlPlane.certificate.cert,
    user: { name: READER, token, groups: [] },
  });
}

interface Questions {
  readonly pods: readonly Question[];
  readonly nodes: readonly Question[];
}

const withoutReport = ({ reported: _, ...question }: Question): Question => question;

/** Pods and nodes are one call of the command each. */
async function askAll(ask: Ask, { pods: podQuestions, nodes: nodeQuestions }: Questions): Promise<readonly string[]> {
  const failures: string[] = [];
  const askPods = async (): Promise<void> => {
    const pods = listAt(JSON.parse(await ask('--pending', '-o', 'json')), 'result', 'pods');
    for (const question of podQuestions) {
      const pod = pods.find((one) => textAt(one, 'pod').startsWith(`default/${question.of}-`));
      const pools = listAt(pod, 'pools');
      const pool = pools.find((one) => textAt(one, 'name') === question.of);
      failures.push(...compare(question, pod, listAt(pool, 'reasons')));
    }
  };
  const askNodes = async (): Promise<void> => {
    const names = nodeQuestions.map(({ of }) => of);
    const document: unknown = JSON.parse(await ask('node', ...names, '-o', 'json'));
    const answers = listAt(document, 'result', 'explanations');
    for (const [index, question] of nodeQuestions.entries())
      failures.push(...compare(question, answers[index], listAt(answers[index], 'reasons')));
  };
  await Promise.all([askPods, askNodes].map((work) => work().catch((error) => failures.push(String(error)))));
  return failures;
}

function compare(question: Question, answer: unknown, reasons: readonly unknown[]): string[] {
  const evidence = listAt(answer, 'evidence').map((one) => `${textAt(one, 'label')}: ${textAt(one, 'text')}`);
  const reports = listAt(answer, 'evidence')
    .filter((one) => textAt(one, 'label') === 'Karpenter')
    .map((one) => textAt(one, 'text'));
  const reason = reasons.map((one) => textAt(one, 'text')).join('; ');
  const fix = textAt(answer, 'fix', 'text');
  const isValid =
    textAt(answer, 'outcome') === question.outcome &&
    question.verdict.test(textAt(answer, 'verdict')) &&
    (question.reason ? question.reason.test(reason) : reasons.length === 0) &&
    evidence.some((line) => line.includes(question.evidence)) &&
    (!question.reported || reports.some((text) => question.reported?.test(text))) &&
    (question.fix === undefined ? fix === '' : fix.startsWith(question.fix));
  return isValid ? [] : [`${question.title}: ${JSON.stringify({ reason, answer })}`];
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** @returns the requests of the reader that are no reads, or that no request was logged */
function readAudit(folder: string): readonly string[] {
  const entries = readAuditLog(folder);
  if (!entries.some((entry) => textAt(entry, 'verb') === 'list')) {
    return ['the audit log has no request of explain'];
  }
  const writes = entries
    .filter((entry) => !READS.has(textAt(entry, 'verb')))
    .map((entry) => `explain wrote: ${textAt(entry, 'verb')} ${textAt(entry, 'requestURI')}`);
  return [...writes, ...findNamelessRequests(entries)];
}
