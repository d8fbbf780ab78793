import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateRoleCommand } from '@aws-sdk/client-iam';
import { stringify } from 'yaml';
import { applyCrds } from '../lab/kubernetes/apply-crds.ts';
import { type Lab, startLab } from '../lab/start-lab.ts';
import {
  defaultNodeClass,
  defaultNodePool,
  karpenterDeployment,
  NODE_ROLE,
  SYSTEM_NODE,
  securityGroupPolicies,
  systemNode,
  systemNodeStatus,
  TWO_CPUS,
} from './cluster-objects.ts';
import { type RuntimeName, startRuntime } from './runtimes.ts';
import type { Suite } from './suites.ts';

/** Faults in the form of the suites of the core. */
const CONDITIONS = {
  fatal: 'AcceleratedHardwareReady=False/NvidiaXID79Error',
  rebootHelps: 'AcceleratedHardwareReady=False/NvidiaXID46Error',
} as const;

/** A lab in which Mortise stands in the place of Karpenter. */
export interface KarpenterLab {
  readonly lab: Lab;
  /** Flags of the test program of a suite for one spec. */
  flags(suite: Suite, spec: string): readonly string[];
  /** Variables of the suites. */
  readonly environment: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

export async function startKarpenterLab(runtimeName: RuntimeName, say: (line: string) => void): Promise<KarpenterLab> {
  const lab = await startLab(say);
  try {
    await installObjects(lab);
    const runtime = await startRuntime(lab, runtimeName);
    const files = writeDefaults(lab.folder);
    return {
      lab,
      flags: ({ module }, spec) =>
        module === 'core'
          ? [
              `--default-nodeclass=${files.nodeClass}`,
              `--default-nodepool=${/^CapacityBuffer /.test(spec) ? files.smallNodePool : files.nodePool}`,
              `--repair-condition=${CONDITIONS.fatal}`,
              `--reboot-condition=${CONDITIONS.rebootHelps}`,
            ]
          : [],
      environment: runtime.environment,
      async end() {
        await runtime.end();
        await lab.end();
      },
    };
  } catch (error) {
    say(lab.tails());
    await lab.end();
    throw error;
  }
}

async function installObjects({ kubectl, kube, cloud, nodes }: Lab): Promise<void> {
  await applyCrds(kubectl, [securityGroupPolicies]);
  await cloud.iam.send(
    new CreateRoleCommand({
      RoleName: NODE_ROLE,
      AssumeRolePolicyDocument: JSON.stringify({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: 'ec2.amazonaws.com' },
            Action: 'sts:AssumeRole',
          },
        ],
      }),
    }),
  );
  await kubectl(['apply', '-f', '-'], systemNode);
  await kube.patch(`/api/v1/nodes/${SYSTEM_NODE}/status`, systemNodeStatus());
  nodes.serve(SYSTEM_NODE);
  await kubectl(['apply', '-f', '-'], karpenterDeployment);
}

function writeDefaults(folder: string) {
  const write = (name: string, object: object): string => {
    const path = join(folder, name);
    writeFileSync(path, stringify(object));
    return path;
  };
  return {
    nodeClass: write('default-nodeclass.yaml', defaultNodeClass),
    nodePool: write('default-nodepool.yaml', defaultNodePool()),
    smallNodePool: write('default-nodepool-2-cpus.yaml', defaultNodePool([TWO_CPUS])),
  };
}
