import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessEntries, createAccessEntries } from './aws/access-entries.ts';
import { createAccount, type EksProxy, startEksProxy } from './aws/account.ts';
import { type CloudClients, createCloudClients } from './aws/cloud-clients.ts';
import { createDeployment, type Deployment } from './aws/deployment.ts';
import { type Ec2Proxy, startEc2Proxy } from './aws/ec2-proxy.ts';
import { CREDENTIALS, startMinistack, startMoto } from './aws/emulators.ts';
import { type LogLine, readLogs } from './aws/function-logs.ts';
import { type LambdaNode, writeLambdaNode } from './aws/lambda-node.ts';
import { CREATE_FLEET_MS } from './aws/latency.ts';
import { startPublicParameters } from './aws/public-parameters.ts';
import { startTokenReview } from './aws/token-review.ts';
import { freePort } from './free-port.ts';
import { type AdminClient, createKubeClient } from './kubernetes/admin-client.ts';
import {
  type ControlPlane,
  type ControlPlaneParts,
  startControlPlane,
} from './kubernetes/control-plane.ts';
import { findControlPlane } from './kubernetes/control-plane-binary.ts';
import { type HookProxy, startHookProxy } from './kubernetes/hook-proxy.ts';
import { createKubectl, type Kubectl } from './kubernetes/kubectl.ts';
import {
  type KubeletDouble,
  type NodePace,
  startKubeletDouble,
} from './kubernetes/kubelet-double.ts';
import { createPrograms, type Programs } from './programs.ts';
import { installPythonTools } from './python-tools.ts';

export const CLUSTER = 'lab';
const PACE: NodePace = {
  registerMs: 1_000,
  readyMs: 1_000,
  podMs: 50,
  pollMs: 2_000,
  heartbeatMs: 10_000,
};
const STACK = `Mortise-${CLUSTER}`;

/** The running lab: everything that a scenario can use. */
export interface Lab {
  /** Folder for logs and data of all components. */
  readonly folder: string;
  /** Folder of the deployed templates. */
  readonly assembly: string;
  readonly say: (line: string) => void;
  readonly programs: Programs;
  readonly controlPlane: ControlPlane;
  readonly kubectl: Kubectl;
  readonly kube: AdminClient;
  readonly cloud: CloudClients;
  /** Environment for commands that use the local AWS. */
  readonly awsEnvironment: Readonly<Record<string, string>>;
  readonly ec2: Ec2Proxy;
  readonly eks: EksProxy;
  readonly hooks: HookProxy;
  readonly nodes: KubeletDouble;
  readonly lambdaNode: LambdaNode;
  readonly deployment: Deployment;
  readonly access: AccessEntries;
  /** Verifies the tokens of all clusters. */
  readonly tokens: { readonly url: string };
  /** Reads the log lines of the functions since a time. */
  logs(since: number): Promise<readonly LogLine[]>;
  /** Returns the last lines of each component's log. */
  tails(): string;
  end(): Promise<void>;
}

export interface LabOptions {
  /** URL of a table that the functions use in place of the local AWS's own. */
  readonly tableUrl?: string;
  readonly pace?: Partial<NodePace>;
  /** `aws`: requests of the functions take as long as in a region (`aws/latency.ts`). */
  readonly latency?: 'aws';
  /** Additional flags of the control plane's programs. */
  readonly flags?: ControlPlaneParts['more'];
}

/** Starts all components. Mortise is not deployed yet. */
export async function startLab(
  say: (line: string) => void,
  options: LabOptions = {},
): Promise<Lab> {
  const [findPart, tools] = await Promise.all([findControlPlane(say), installPythonTools(say)]);
  const folder = mkdtempSync(join(tmpdir(), 'mortise-e2e-'));
  const assembly = join(folder, 'cdk.out');
  const programs = createPrograms(folder);
  const ends: (() => Promise<void>)[] = [() => programs.endAll()];

  try {
    const access = createAccessEntries(assembly);
    const tokens = await startTokenReview(access.callerOf);
    const parts = { programs, tools, folder };
    const [controlPlane, moto] = await Promise.all([
      startControlPlane({
        programs,
        findPart,
        folder: made(folder, 'kubernetes'),
        tokenReviewUrl: tokens.url,
        ...(options.flags && { more: options.flags }),
      }),
      startMoto(parts, await freePort()),
    ]);
    const port = await freePort();
    const ministackUrl = `http://127.0.0.1:${port}`;
    const ec2 = await startEc2Proxy(moto.url, options.latency && CREATE_FLEET_MS);
    const hooks = await startHookProxy(controlPlane.certificate, ministackUrl);
    const cloud = createCloudClients(moto.url, ministackUrl);
    const parameters = await startPublicParameters(cloud);
    const eks = await startEksProxy(ministackUrl, controlPlane.certificateAuthority, access);
    const endpoints = {
      AWS_ENDPOINT_URL: ministackUrl,
      AWS_ENDPOINT_URL_EC2: ec2.url,
      AWS_ENDPOINT_URL_EKS: `http://127.0.0.1:${eks.port}`,
      AWS_ENDPOINT_URL_SSM: `http://127.0.0.1:${parameters.port}`,
      ...(options.tableUrl !== undefined && { AWS_ENDPOINT_URL_DYNAMODB: options.tableUrl }),
    };
    const lambdaNode = writeLambdaNode(folder, options.latency);
    await startMinistack(parts, {
      port,
      endpoints,
      nodeFolder: lambdaNode.folder,
      apiServerPort: Number(new URL(controlPlane.url).port),
    });
    ends.push(tokens.end, ec2.end, hooks.end, parameters.end, eks.end);
    await createAccount(cloud, CLUSTER);
    const kube = createKubeClient(controlPlane);
    const nodes = startKubeletDouble({ ec2: cloud.ec2, kube, say }, { ...PACE, ...options.pace });
    ec2.onChange(nodes.poll);
    ends.push(async () => nodes.end());
    return {
      folder,
      assembly,
      say,
      programs,
      controlPlane,
      kubectl: createKubectl(controlPlane.kubectl, controlPlane.kubeconfig),
      kube,
      cloud,
      awsEnvironment: { ...CREDENTIALS, ...endpoints },
      ec2,
      eks,
      hooks,
      nodes,
      lambdaNode,
      deployment: createDeployment({
        assembly,
        outputs: join(folder, 'outputs.json'),
        url: ministackUrl,
        stack: STACK,
        onDestroyed: access.forget,
      }),
      access,
      tokens,
      logs: (since) => readLogs(ministackUrl, since),
      tails: () => programs.tails(8),
      async end() {
        for (const end of ends.toReversed()) await end();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    say(programs.tails(8));
    for (const end of ends.toReversed()) await end();
    throw error;
  }
}

function made(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}
