import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { freePort } from '../lab/free-port.ts';
import { startControlPlane } from '../lab/kubernetes/control-plane.ts';
import { findControlPlane } from '../lab/kubernetes/control-plane-binary.ts';
import { ADMIN } from '../lab/kubernetes/kubernetes-files.ts';
import type { Programs } from '../lab/programs.ts';
import { waitUntil } from '../lab/wait-until.ts';

/** Admission plugins that would reject or change the objects of a case. */
const DISABLED_ADMISSION_PLUGINS = [
  'Priority',
  'TaintNodesByCondition',
  'RuntimeClass',
  'StorageObjectInUseProtection',
];

/** The default of 50 would make the replay wait most of the time. */
const REQUESTS_PER_SECOND = 2_000;

export interface SchedulerOnly {
  /** Credentials of an administrator. */
  readonly kubeconfig: string;
  /**
   * Counts the pods that the scheduler has put aside until an event could make them schedulable.
   */
  countPutAside(): Promise<number>;
}

/**
 * Starts etcd, kube-apiserver and kube-scheduler without controllers or kubelets: nodes need no
 * heartbeat. The scheduler runs its default profile with a higher request rate and shorter
 * back-off.
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
    // The replay sends no tokens that need a webhook.
    tokenReviewUrl: 'http://127.0.0.1:1/',
    withoutControllers: true,
    more: {
      apiserver: [
        `--disable-admission-plugins=${DISABLED_ADMISSION_PLUGINS.join(',')}`,
        '--delete-collection-workers=4',
      ],
      scheduler: [`--config=${writeConfiguration(folder)}`, `--secure-port=${port}`],
    },
  });
  const countPutAside = createPutAsideReader(port);
  await waitUntil('the scheduler', async () => (await countPutAside()) === 0);
  return { kubeconfig, countPutAside };
}

/** Reads the scheduler's own metric. Its certificate is self-signed. */
const createPutAsideReader = (port: number) => (): Promise<number> =>
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
        const [, count] = UNSCHEDULABLE_PODS_METRIC.exec(text) ?? [];
        if (count === undefined) reject(new Error(`the scheduler answers ${answer.statusCode}`));
        else resolve(Number(count));
      });
    }).on('error', reject);
  });

const UNSCHEDULABLE_PODS_METRIC = /^scheduler_pending_pods\{queue="unschedulable"\} (\S+)$/m;

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
