import * as z from 'zod';
import { printSetup } from '../../../../cli/controller/print-setup.ts';
import type { RequestContext } from '../conditions.ts';
import { parsePolicy, type Statement } from '../policy.ts';
import type { Location } from './deployed-template.ts';
import { ACCOUNT, CLUSTER, type DeployedStack } from './option-sets.ts';
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
  /** Hints travel through queues, not within the process. */
  readonly sendsHints: boolean;
}

const roleProperties = z.object({ Path: z.string().default('/'), RoleName: z.string() });

/** The roles that instances may get: the stack's own, or those of the options. */
function listNodeRoles({ resources, options, location }: DeployedStack): readonly string[] {
  const own = resources
    .filter(({ id, type }) => type === 'AWS::IAM::Role' && id.startsWith('NodeRole'))
    .map(({ properties }) => roleProperties.parse(properties))
    .map(({ Path, RoleName }) => `${Path.slice(1)}${RoleName}`);
  const given = [options.nodeRoles, options.windowsNodeRoles].flatMap((names) =>
    typeof names === 'string' ? names.split(',') : [],
  );
  return [...own, ...given].map(
    (name) => `arn:${location.partition}:iam::${location.account}:role/${name}`,
  );
}

/**
 * The functions of a stack. Lambda adds the ARN of the function to each request of its code.
 *
 * @see docs.aws.amazon.com/lambda/latest/dg/permissions-source-function-arn.html
 */
export function stackProcesses(stack: DeployedStack): readonly Process[] {
  const { kmsKeyArn } = stack.options;
  const nodeRoles = listNodeRoles(stack);
  return listFunctions(stack.resources, stack.location).map(({ entry, arn, ...fn }) => ({
    ...{ name: entry, entry: `functions/${entry}/handler.ts`, location: stack.location, nodeRoles },
    environment: fn.environment,
    role: fn.role,
    statements: fn.statements,
    context: { 'lambda:SourceFunctionArn': arn },
    ...(fn.ownQueue !== undefined && { ownQueue: fn.ownQueue }),
    ...(typeof kmsKeyArn === 'string' && { key: kmsKeyArn }),
    sendsHints: true,
  }));
}

/** The variables of the controller that change its rights. */
export interface ControllerVariables {
  readonly EVENT_KINDS?: string;
  readonly EVENT_BUS?: string;
  readonly INTERRUPTION_QUEUE?: string;
  readonly ENABLE_ZONAL_SHIFT?: string;
}

/** `mortise controller` without the stack, with the policy that `--print-setup iam` prints. */
export async function controllerProcess(
  location: Location,
  variables: ControllerVariables,
): Promise<Process> {
  const { region } = location;
  const values = { cluster: CLUSTER, region, account: ACCOUNT, nodeRole: 'nodes' };
  const { result } = await printSetup('iam', values, variables);
  const { policy } = z.object({ policy: z.unknown() }).parse(result);
  const clusterArn = `arn:${location.partition}:eks:${region}:${ACCOUNT}:cluster/${CLUSTER}`;
  return {
    ...{
      name: 'controller',
      role: 'controller',
      entry: 'cli/controller/start-controller.ts',
      location,
    },
    nodeRoles: [`arn:${location.partition}:iam::${ACCOUNT}:role/nodes`],
    statements: parsePolicy('controller', policy),
    context: {},
    environment: {
      ...variables,
      ...(variables.ENABLE_ZONAL_SHIFT !== undefined && { CLUSTER_ARN: clusterArn }),
    },
    sendsHints: false,
  };
}
