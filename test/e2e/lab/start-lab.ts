import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessEntries, createAccessEntries, createNodeAuthentication } from './aws/access-entries.ts';
import { createAccount, createEksProxy, type EksProxy } from './aws/account.ts';
import { type AccountSettings, createAccountServices, createAccountSettings } from './aws/account-services.ts';
import { startAwsProxy } from './aws/aws-proxy.ts';
import { type CloudClients, createCloudClients } from './aws/cloud-clients.ts';
import { createDeployment, DEPLOYER_POLICY, type Deployment } from './aws/deployment.ts';
import { createEc2Proxy, type Ec2Proxy } from './aws/ec2-proxy.ts';
import { CREDENTIALS, startMinistack, startMoto } from './aws/emulators.ts';
import { type LogLine, readLogs } from './aws/function-logs.ts';
import { type LambdaNode, writeLambdaNode } from './aws/lambda-node.ts';
import { CREATE_FLEET_MS } from './aws/latency.ts';
import { addPublicParameters } from './aws/public-parameters.ts';
import { type AccountResources, createAccountResources } from './aws/resources.ts';
import { createAccountFacts } from './aws/rights/facts.ts';
import { readReaderPolicy } from './aws/rights/reader-policy.ts';
import { createRightsReport, type RightsReport } from './aws/rights/report.ts';
import { createSenders, type Senders } from './aws/rights/senders.ts';
import { listLabRules } from './aws/rules/lab-rules.ts';
import { createRules, type Pass, type Rules } from './aws/rules/rule.ts';
import { startTokenReview } from './aws/token-review.ts';
import { forwardTo } from './forward.ts';
import { freePort } from './free-port.ts';
import { type AdminClient, createKubeClient } from './kubernetes/admin-client.ts';
import { auditFlags, OWN_CALLERS, readAuditLog } from './kubernetes/audit-log.ts';
import { type ControlPlane, type ControlPlaneParts, startControlPlane } from './kubernetes/control-plane.ts';
import { findControlPlane } from './kubernetes/control-plane-binary.ts';
import { type HookProxy, startHookProxy } from './kubernetes/hook-proxy.ts';
import { createKubectl, type Kubectl } from './kubernetes/kubectl.ts';
import { type KubeletDouble, type NodePace, startKubeletDouble } from './kubernetes/kubelet-double.ts';
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
/** Seeds what the rules choose at random. */
const SEED = 1;
/** The lowest limit that Lambda knows: each invocation is a process on the cores that all else uses. */
const MIN_QUEUE_CONCURRENCY = 2;

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
  /** The rules in front of the emulators. */
  readonly rules: Pick<Rules, 'delay'>;
  /** The policies of processes without a role in the account. */
  readonly senders: Pick<Senders, 'allow' | 'actAs'>;
  /** The requests that were evaluated, and those that were denied. */
  readonly rights: Pick<RightsReport, 'expect' | 'lines' | 'check'>;
  /** The quotas of the account, which a scenario may change. */
  readonly quotas: Quotas;
  /** Quotas of EC2, keys and stacks, which a scenario may change. */
  readonly account: AccountSettings;
  readonly resources: AccountResources;
  /** Verifies the tokens of all clusters. */
  readonly tokens: { readonly url: string };
  /** Reads the log lines of the functions since a time. */
  logs(since: number): Promise<readonly LogLine[]>;
  /** Reads the requests of our functions from the audit log of the API server. */
  readAuditLog(): readonly unknown[];
  /** Returns the last lines of each component's log. */
  tails(): string;
  end(): Promise<void>;
}

export interface Quotas {
  /** Concurrent invocations of all functions together. */
  concurrency: number;
}

export interface LabOptions {
  /** URL of a table that the functions use in place of the local AWS's own. */
  readonly tableUrl?: string;
  readonly pace?: Partial<NodePace>;
  /** `aws`: requests of the functions take as long as in a region (`aws/latency.ts`). */
  readonly latency?: 'aws';
  /** Additional flags of the control plane's programs. */
  readonly flags?: ControlPlaneParts['more'];
  /** The most concurrent invocations for a queue. */
  readonly queueConcurrency?: number;
}

/** Starts all components. Mortise is not deployed yet. */
export async function startLab(say: (line: string) => void, options: LabOptions = {}): Promise<Lab> {
  const [findPart, tools] = await Promise.all([findControlPlane(say), installPythonTools(say)]);
  const folder = mkdtempSync(join(tmpdir(), 'mortise-e2e-'));
  const assembly = join(folder, 'cdk.out');
  const kubernetes = made(folder, 'kubernetes');
  const programs = createPrograms(folder);
  const ends: (() => Promise<void>)[] = [() => programs.endAll()];

  try {
    const parts = { programs, tools, folder };
    const [motoPort, port] = [await freePort(), await freePort()];
    const ministackUrl = `http://127.0.0.1:${port}`;
    const cloud = createCloudClients(`http://127.0.0.1:${motoPort}`, ministackUrl);
    const access = createAccessEntries(cloud);
    const tokens = await startTokenReview(access.callerOf);
    const [controlPlane, moto] = await Promise.all([
      startControlPlane({
        programs,
        findPart,
        folder: kubernetes,
        tokenReviewUrl: tokens.url,
        more: {
          ...options.flags,
          apiserver: [...auditFlags(kubernetes, OWN_CALLERS), ...(options.flags?.apiserver ?? [])],
        },
      }),
      startMoto(parts, motoPort),
    ]);
    const emulator = forwardTo(ministackUrl);
    const ec2 = createEc2Proxy(moto.url, options.latency && CREATE_FLEET_MS);
    const eks = createEksProxy(emulator, controlPlane.certificateAuthority);
    const hooks = await startHookProxy(controlPlane.certificate, ministackUrl);
    const quotas: Quotas = { concurrency: 1_000 };
    const senders = createSenders(cloud);
    senders.allow('deployer', DEPLOYER_POLICY);
    senders.allow('reader', readReaderPolicy(CLUSTER));
    const report = createRightsReport();
    const facts = createAccountFacts(cloud, (arn) => (isOfBootstrap(arn) ? undefined : deployment.option('kmsKeyArn')));
    const rules = createRules(
      listLabRules({
        emulator,
        rights: { senders, facts, report },
        seed: SEED,
        concurrency: () => quotas.concurrency,
        authenticationMode: () => eks.authenticationMode,
        queueConcurrency: options.queueConcurrency ?? MIN_QUEUE_CONCURRENCY,
      }),
      'none',
    );
    const account = createAccountSettings();
    const services = new Map<string, Pass>([
      ...createAccountServices(account, emulator),
      ['ec2', ec2.forward],
      ['eks', eks.forward],
      ['ssm', await addPublicParameters(cloud, emulator)],
    ]);
    const aws = await startAwsProxy(rules, emulator, services);
    const outputs = join(folder, 'outputs.json');
    const deployment = createDeployment({ assembly, outputs, url: aws.url, stack: STACK });
    const endpoints = {
      AWS_ENDPOINT_URL: aws.url,
      ...(options.tableUrl !== undefined && { AWS_ENDPOINT_URL_DYNAMODB: options.tableUrl }),
    };
    const lambdaNode = writeLambdaNode(folder, options.latency);
    await startMinistack(parts, {
      port,
      endpoints,
      nodeFolder: lambdaNode.folder,
      rules: aws,
      apiServerPort: Number(new URL(controlPlane.url).port),
    });
    ends.push(tokens.end, aws.end, hooks.end);
    await createAccount(cloud, CLUSTER);
    const kube = createKubeClient(controlPlane);
    const isAuthenticated = createNodeAuthentication(cloud, kube, CLUSTER);
    const nodes = startKubeletDouble({ ec2: cloud.ec2, kube, say, isAuthenticated }, { ...PACE, ...options.pace });
    ec2.onChange(nodes.poll);
    ec2.onReboot(nodes.reboot);
    ec2.console(nodes.console);
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
      deployment,
      access,
      rules,
      senders,
      rights: report,
      quotas,
      account,
      resources: createAccountResources(cloud, ministackUrl, CLUSTER),
      tokens,
      logs: (since) => readLogs(ministackUrl, since),
      readAuditLog: () => readAuditLog(kubernetes),
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

/** The bucket and the roles of the CDK are not the stack's. */
const isOfBootstrap = (arn: string): boolean => arn.includes(':cdk-');

function made(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}
