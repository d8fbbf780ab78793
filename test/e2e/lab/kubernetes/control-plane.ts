import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import type { Program, Programs } from '../programs.ts';
import type { FindPart, Role } from './control-plane-binary.ts';
import {
  ADMIN,
  CONTROLLER_MANAGER,
  SCHEDULER,
  type User,
  writeKubeconfig,
  writeServiceAccountKeys,
  writeTokens,
} from './kubernetes-files.ts';

export interface ControlPlane {
  readonly url: string;
  /** In PEM format. */
  readonly certificateAuthority: string;
  /**
   * The API server's self-signed certificate for 127.0.0.1; other servers of the lab use it too.
   */
  readonly certificate: { readonly cert: string; readonly key: string };
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly kubectl: readonly [command: string, ...args: string[]];
  /** Stops the API server only; the other components wait for it. */
  stopApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
  /** Replaces all components but etcd, whose data stays, by those of another release. */
  upgrade(next: FindPart): Promise<void>;
}

export interface ControlPlaneParts {
  readonly programs: Programs;
  readonly findPart: FindPart;
  /** An empty folder for keys, certificates and the data of etcd. */
  readonly folder: string;
  /** URL of the token webhook that the API server calls for unknown tokens. */
  readonly tokenReviewUrl: string;
  /** Additional flags by component. */
  readonly more?: Partial<Readonly<Record<Role, readonly string[]>>>;
  /**
   * True to run without kube-controller-manager: owners are not reconciled and missing heartbeats
   * go unnoticed. Default false.
   */
  readonly withoutControllers?: boolean;
}

/** Starts unmodified etcd, kube-apiserver, kube-scheduler and kube-controller-manager. */
export async function startControlPlane(parts: ControlPlaneParts): Promise<ControlPlane> {
  const { programs, folder, more = {} } = parts;
  let { findPart } = parts;
  const start = (role: Role, args: readonly string[]): Program => {
    const [command, ...first] = findPart(role);
    const all = [...first, ...args, ...(more[role] ?? [])];
    return programs.start({ name: role, command, args: all });
  };

  const etcd = await startEtcd(programs, start, folder);
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const keys = writeServiceAccountKeys(folder);
  const flags = apiServerFlags({ ...parts, etcd, port, keys });
  const startApiServer = async (): Promise<Program> => {
    const program = start('apiserver', flags);
    await programs.ready(program, () => askReady(folder, url));
    return program;
  };
  let apiServer = await startApiServer();

  const certificate = readCertificate(folder);
  const kubeconfig = (name: string, user: User): string =>
    writeKubeconfig(folder, name, { url, authority: certificate.cert, user });
  const startClients = (): readonly Program[] => [
    start('scheduler', clientFlags(kubeconfig('scheduler', SCHEDULER))),
    ...(parts.withoutControllers
      ? []
      : [
          start('controller-manager', [
            ...clientFlags(kubeconfig('controller-manager', CONTROLLER_MANAGER)),
            `--service-account-private-key-file=${keys.signing}`,
            '--use-service-account-credentials=true',
          ]),
        ]),
  ];
  let clients = startClients();

  return {
    url,
    certificateAuthority: lastCertificate(certificate.cert),
    certificate,
    kubeconfig: kubeconfig('admin', ADMIN),
    kubectl: findPart('kubectl'),
    stopApiServer: () => apiServer.end(),
    async startApiServer() {
      apiServer = await startApiServer();
    },
    async upgrade(next) {
      await Promise.all([...clients, apiServer].map((program) => program.end()));
      findPart = next;
      apiServer = await startApiServer();
      clients = startClients();
    },
  };
}

async function startEtcd(
  programs: Programs,
  start: (role: Role, args: readonly string[]) => Program,
  folder: string,
): Promise<string> {
  const client = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const program = start('etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    '--unsafe-no-fsync',
  ]);
  await programs.ready(program, () => fetch(`${client}/health`));
  return client;
}

function apiServerFlags(parts: {
  readonly folder: string;
  readonly etcd: string;
  readonly port: number;
  readonly keys: ReturnType<typeof writeServiceAccountKeys>;
  readonly tokenReviewUrl: string;
}): readonly string[] {
  const { folder, etcd, port, keys, tokenReviewUrl } = parts;
  const checker = writeKubeconfig(folder, 'token-review', { url: tokenReviewUrl });
  return [
    `--etcd-servers=${etcd}`,
    `--cert-dir=${folder}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--service-account-issuer=https://lab.local',
    `--service-account-key-file=${keys.checking}`,
    `--service-account-signing-key-file=${keys.signing}`,
    '--service-cluster-ip-range=10.100.0.0/16',
    '--authorization-mode=RBAC',
    `--token-auth-file=${writeTokens(folder)}`,
    `--authentication-token-webhook-config-file=${checker}`,
    '--authentication-token-webhook-version=v1',
    // Pods of the lab use no service account and must not wait for one.
    '--disable-admission-plugins=ServiceAccount',
  ];
}

const clientFlags = (kubeconfig: string): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--authentication-kubeconfig=${kubeconfig}`,
  `--authorization-kubeconfig=${kubeconfig}`,
  '--leader-elect=false',
  '--bind-address=127.0.0.1',
  '--secure-port=0',
];

const readCertificate = (folder: string) => ({
  cert: readFileSync(join(folder, 'apiserver.crt'), 'utf8'),
  key: readFileSync(join(folder, 'apiserver.key'), 'utf8'),
});

/** The file has the certificate and then its authority, which EKS reports alone. */
const lastCertificate = (chain: string): string => chain.slice(chain.lastIndexOf('-----BEGIN CERTIFICATE-----'));

/**
 * @throws Error - the API server is not ready yet
 */
function askReady(folder: string, url: string): Promise<void> {
  const { cert } = readCertificate(folder);
  const options = { ca: cert, headers: { authorization: `Bearer ${ADMIN.token}` } };
  return new Promise((resolve, reject) => {
    get(`${url}/readyz`, options, (answer) => {
      answer.resume();
      if (answer.statusCode === 200) resolve();
      else reject(new Error(`readyz says ${answer.statusCode}`));
    }).on('error', reject);
  });
}
