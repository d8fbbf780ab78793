import { CreateTagsCommand, DescribeSecurityGroupsCommand, DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { CreateClusterCommand } from '@aws-sdk/client-eks';
import type { Answer, Forward } from '../forward.ts';
import { valueAt } from '../json.ts';
import { LAB_VERSION, minorOf } from '../kubernetes/control-plane-binary.ts';
import type { CloudClients } from './cloud-clients.ts';
import { ACCOUNT } from './emulators.ts';

/** NodeClasses of the scenarios select subnets and security groups by this tag. */
export const DISCOVERY_TAG = 'karpenter.sh/discovery';

/** The newest minor version of Kubernetes that the lab has images for. */
export const NEWEST_MINOR = 37;

/** Number of zones with subnets. */
const ZONES = 3;

/** Creates the resources that exist before Mortise is deployed: cluster, network and node role. */
export async function createAccount({ ec2, eks }: CloudClients, cluster: string): Promise<void> {
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({}));
  const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand({}));
  const subnets = Subnets.toSorted((a, b) => `${a.AvailabilityZone}`.localeCompare(`${b.AvailabilityZone}`)).slice(
    0,
    ZONES,
  );
  const [group] = SecurityGroups;
  const subnetIds = subnets.map(({ SubnetId = '' }) => SubnetId);
  await ec2.send(
    new CreateTagsCommand({
      Resources: [...subnetIds, group?.GroupId ?? ''],
      Tags: [{ Key: DISCOVERY_TAG, Value: cluster }],
    }),
  );
  await eks.send(
    new CreateClusterCommand({
      name: cluster,
      version: `1.${minorOf(LAB_VERSION)}`,
      roleArn: `arn:aws:iam::${ACCOUNT}:role/cluster`,
      resourcesVpcConfig: { subnetIds },
      accessConfig: { authenticationMode: 'API_AND_CONFIG_MAP' },
    }),
  );
}

/** The answer of EKS to every request: as usual, no such cluster, or access denied. */
export type EksAnswer = 'usual' | 'deleted' | 'denied';

/** How EKS authenticates roles: only two modes know access entries. */
export type AuthenticationMode = 'API' | 'API_AND_CONFIG_MAP' | 'CONFIG_MAP';

export interface EksProxy {
  readonly forward: Forward;
  answer(next: EksAnswer): void;
  readonly authenticationMode: AuthenticationMode;
  /** Changes the mode in any direction; EKS goes back to no earlier mode. */
  authenticateBy(next: AuthenticationMode): void;
  /** Changes what DescribeCluster says, until `undefined`. */
  describeAs(next: ((cluster: object) => object) | undefined): void;
  /** Sets how far the clock of the service is ahead of this machine's. */
  shiftClock(ms: number): void;
}

/**
 * Forwards to the emulated EKS and adds the certificate authority of the API server to
 * DescribeCluster.
 */
export function createEksProxy(emulator: Forward, certificateAuthority: string): EksProxy {
  const data = Buffer.from(certificateAuthority).toString('base64');
  let mode: EksAnswer = 'usual';
  let authenticationMode: AuthenticationMode = 'API_AND_CONFIG_MAP';
  let shiftMs = 0;
  let describe: ((cluster: object) => object) | undefined;

  const forward: Forward = async (request) => {
    if (mode === 'deleted') return eksError(404, 'ResourceNotFoundException', 'No cluster found.');
    if (mode === 'denied') return eksError(403, 'AccessDeniedException', 'Not authorized.');
    const answer = await emulator(request);
    const text = answer.body.toString();
    const body = text
      .replace(
        /"certificateAuthority":\s*\{\s*"data":\s*""\s*\}/,
        JSON.stringify({ certificateAuthority: { data } }).slice(1, -1),
      )
      .replace(/("authenticationMode":\s*)"\w+"/, `$1"${authenticationMode}"`);
    const described = describe && describedBy(describe, body);
    const date = new Date(Date.now() + shiftMs).toUTCString();
    return {
      ...answer,
      headers: { ...answer.headers, date },
      body: Buffer.from(described ?? body),
    };
  };
  return {
    forward,
    answer(next) {
      mode = next;
    },
    get authenticationMode() {
      return authenticationMode;
    },
    authenticateBy(next) {
      authenticationMode = next;
    },
    describeAs(next) {
      describe = next;
    },
    shiftClock(ms) {
      shiftMs = ms;
    },
  };
}

function describedBy(describe: (cluster: object) => object, body: string): string | undefined {
  const parsed: unknown = JSON.parse(body);
  const cluster = valueAt(parsed, 'cluster');
  return typeof cluster === 'object' && cluster !== null ? JSON.stringify({ cluster: describe(cluster) }) : undefined;
}

const eksError = (status: number, type: string, message: string): Answer => ({
  status,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': type },
  body: Buffer.from(JSON.stringify({ message })),
});
