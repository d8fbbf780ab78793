import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { startControlPlane } from '../lab/control-plane.ts';
import { findControlPlane } from '../lab/control-plane-binary.ts';
import { freePort } from '../lab/free-port.ts';
import { ADMIN } from '../lab/kubernetes-files.ts';
import type { Programs } from '../lab/programs.ts';
import { waitUntil } from '../lab/wait-until.ts';

/** In a cluster of its own these would only refuse what a case says, or add to it. */
const ADMISSION_LEFT_OUT = [
  'Priority',
  'TaintNodesByCondition',
  'RuntimeClass',
  'StorageObjectInUseProtection',
];

/** With the default, 50, most of the time would be waiting. */
const REQUESTS_PER_SECOND = 2_000;

export interface SchedulerOnly {
  /** The administrator's. */
  readonly kubeconfig: string;
  /** How many pods the scheduler has put aside until something changes that could help them. */
  countPutAside(): Promise<number>;
}

/**
 * etcd, kube-apiserver and kube-scheduler as they are, and nobody else: nodes need no heartbeat here.
 * The scheduler's profile is the default one; it only may ask more often, and tries again sooner.
 */
export async function startSchedulerOnly(
  programs: Programs,
  folder: string,
  say: (line: string) => void,
): Promise<SchedulerOnly> {
  const findPart = await findControlPlane(say);
  const port = await freePort();
  const { kubeconfig } = await startControlPlane({
    programs,
    findPart,
    folder,
    // Nobody comes with a token that the API server does not know.
    tokenReviewUrl: 'http://127.0.0.1:1/',
    withoutControllers: true,
    more: {
      apiserver: [
        `--disable-admission-plugins=${ADMISSION_LEFT_OUT.join(',')}`,
        '--delete-collection-workers=4',
      ],
      scheduler: [`--config=${writeConfiguration(folder)}`, `--secure-port=${port}`],
    },
  });
  const countPutAside = putAsideOf(port);
  await waitUntil('the scheduler', async () => (await countPutAside()) === 0);
  return { kubeconfig, countPutAside };
}

/** The scheduler's own figure; its certificate is one that it made for itself. */
const putAsideOf = (port: number) => (): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: '/metrics',
      rejectUnauthorized: false,
      headers: { authorization: `Bearer ${ADMIN.token}` },
    };
    get(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => {
        const [, count] = PUT_ASIDE.exec(text) ?? [];
        if (count === undefined) reject(new Error(`the scheduler answers ${answer.statusCode}`));
        else resolve(Number(count));
      });
    }).on('error', reject);
  });

const PUT_ASIDE = /^scheduler_pending_pods\{queue="unschedulable"\} (\S+)$/m;

function writeConfiguration(folder: string): string {
  const file = join(folder, 'scheduler-configuration.json');
  const configuration = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: {
      kubeconfig: join(folder, 'scheduler.kubeconfig'),
      qps: REQUESTS_PER_SECOND,
      burst: REQUESTS_PER_SECOND,
    },
    leaderElection: { leaderElect: false },
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 1,
  };
  writeFileSync(file, JSON.stringify(configuration));
  return file;
}
