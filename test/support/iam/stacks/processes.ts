import * as z from 'zod';
import type { DeployedStack } from '../../../../cli/cluster/find-stack.ts';
import { printSetup, type SetupValues } from '../../../../cli/controller/print-setup.ts';
import type { RequestContext } from '../conditions.ts';
import { parsePolicy, type Statement } from '../policy.ts';
import type { Location } from './deployed-template.ts';
import { ACCOUNT, CLUSTER, type SynthesizedStack } from './option-sets.ts';
import type { Destination } from './placed-requests.ts';
import { listFunctions } from './roles.ts';

/** A process of ours, with the rights that it has. */
export interface Process extends Destination {
  /** The folder of the function, or `controller`. */
  readonly name: string;
  readonly entry: string;
  readonly role: string;
  readonly statements: readonly Statement[];
  /** The context that AWS adds to each request of the process. */
  readonly context: RequestContext;
  /** The customer key of the stack. */
  readonly key?: string;
  readonly learnedTableKey?: string;
  /** Hints travel through queues, not within the process. */
  readonly sendsHints: boolean;
}

const roleProperties = z.object({ Path: z.string().default('/'), RoleName: z.string() });

/** The roles that instances may get: the stack's own, or those of the options. */
function listNodeRoles({ resources, options, location }: SynthesizedStack): readonly string[] {
  const own = resources
    .filter(({ id, type }) => type === 'AWS::IAM::Role' && id.startsWith('NodeRole'))
    .map(({ properties }) => roleProperties.parse(properties))
    .map(({ Path, RoleName }) => `${Path.slice(1)}${RoleName}`);
  const given = [options.nodeRoles, options.windowsNodeRoles].flatMap((names) =>
    typeof names === 'string' ? names.split(',') : [],
  );
  return [...own, ...given].map((name) => `arn:${location.partition}:iam::${location.account}:role/${name}`);
}

/**
 * The functions of a stack. Lambda adds the ARN of the function to each request of its code.
 *
 * @see docs.aws.amazon.com/lambda/latest/dg/permissions-source-function-arn.html
 */
export function stackProcesses(stack: SynthesizedStack): readonly Process[] {
  const { kmsKeyArn, learnedTableKey, volumeKeys, imageParameters } = stack.options;
  const nodeRoles = listNodeRoles(stack);
  return listFunctions(stack.resources, stack.location).map(({ entry, arn, ...fn }) => ({
    ...{ name: entry, entry: `functions/${entry}/handler.ts`, location: stack.location, nodeRoles },
    environment: fn.environment,
    role: fn.role,
    statements: fn.statements,
    context: { 'lambda:SourceFunctionArn': arn },
    ...(fn.ownQueue !== undefined && { ownQueue: fn.ownQueue }),
    ...(typeof kmsKeyArn === 'string' && { key: kmsKeyArn }),
    ...(typeof learnedTableKey === 'string' && { learnedTableKey }),
    ...(typeof volumeKeys === 'string' && { volumeKey: volumeKeys }),
    ...(typeof imageParameters === 'string' && { imageParameter: imageParameters }),
    sendsHints: true,
  }));
}

/** The variables of the controller that change its rights. */
export type ControllerVariables = Readonly<
  Partial<
    Record<
      'EVENT_KINDS' | 'EVENT_BUS' | 'INTERRUPTION_QUEUE' | 'ENABLE_ZONAL_SHIFT' | 'VOLUME_KEYS' | 'IMAGE_PARAMETERS',
      string
    >
  >
>;

/** The resources of a stack beside which a controller runs. */
const STACK: DeployedStack = {
  ...{ name: 'Mortise', table: 'State', bucket: 'snapshots', keys: [] },
  id: `arn:aws:cloudformation:us-east-1:${ACCOUNT}:stack/Mortise/0`,
  interruptionQueue: `https://sqs.us-east-1.amazonaws.com/${ACCOUNT}/notices`,
};

const printPolicy = async (
  part: 'iam' | 'stack',
  ...[values, variables]: readonly [SetupValues, ControllerVariables]
): Promise<readonly Statement[]> => {
  const { result } = await printSetup(part, values, variables, async () => STACK);
  const { policy } = z.object({ policy: z.unknown() }).parse(result);
  return parsePolicy(`controller ${part}`, policy);
};

/** Where a controller runs: by itself, or beside the stack, whose records it uses. */
export interface ControllerLocation {
  readonly variables: ControllerVariables;
  readonly isBesideStack?: boolean;
}

/** `mortise controller` with the policies that `--print-setup` prints. */
export async function controllerProcess(
  location: Location,
  { variables, isBesideStack = false }: ControllerLocation,
): Promise<Process> {
  const { region } = location;
  const values = { cluster: CLUSTER, region, account: ACCOUNT, nodeRole: 'nodes' };
  const statements = [
    ...(await printPolicy('iam', values, variables)),
    ...(isBesideStack ? await printPolicy('stack', values, variables) : []),
  ];
  const records = {
    ...{ STATE_TABLE: STACK.table, SNAPSHOT_BUCKET: STACK.bucket },
    INTERRUPTION_QUEUE: 'notices',
  };
  const clusterArn = `arn:${location.partition}:eks:${region}:${ACCOUNT}:cluster/${CLUSTER}`;
  return {
    ...{
      name: 'controller',
      role: 'controller',
      entry: 'cli/controller/start-controller.ts',
      location,
    },
    nodeRoles: [`arn:${location.partition}:iam::${ACCOUNT}:role/nodes`],
    statements,
    context: {},
    ...(variables.VOLUME_KEYS !== undefined && { volumeKey: variables.VOLUME_KEYS }),
    ...(variables.IMAGE_PARAMETERS !== undefined && { imageParameter: variables.IMAGE_PARAMETERS }),
    environment: {
      ...variables,
      ...(isBesideStack && records),
      ...(variables.ENABLE_ZONAL_SHIFT !== undefined && { CLUSTER_ARN: clusterArn }),
    },
    sendsHints: false,
  };
}
