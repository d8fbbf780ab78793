import { dispatch } from '../../shared/controllers/dispatch.ts';
import { findReportedShortages } from '../../shared/explain/karpenter-reports.ts';
import { createPartialApi } from '../../shared/kubernetes/client/partial-api.ts';
import { readKarpenterReports } from '../../shared/kubernetes/readers/karpenter-reports.ts';
import type { KarpenterReport } from '../../shared/model/karpenter-report.ts';
import type { Confirmation, Decision, DecisionLog } from '../../shared/ports/decision-log.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import type { ControllerRuntime } from '../controller/controller-runtime.ts';
import { createDryPorts } from '../controller/dry-ports.ts';
import { adoptInstancesInMemory } from '../controller/dry-run.ts';

export interface ObservedDecisions {
  readonly decisions: readonly (Decision | Confirmation)[];
  /** Events and conditions of Karpenter; empty where it does not run. */
  readonly reports: readonly KarpenterReport[];
}

export interface ReadingRuntime extends Pick<ControllerRuntime, 'ports'> {
  readonly reached: Pick<ControllerRuntime['reached'], 'api'>;
}

/** Decides on a live cluster without acting, and knows what a running Karpenter found out. */
export async function observeAndDecide({ ports, reached: { api } }: ReadingRuntime): Promise<ObservedDecisions> {
  // Without these the decisions know less, and are not wrong.
  const reports = await readKarpenterReports(createPartialApi(api).api, ports.clock.now());
  const decisions = await decideWithoutActing({ ports: withReportedShortages(ports, reports) });
  return { decisions, reports };
}

/** Adds the offerings for which EC2 refused Karpenter's launches to those that Mortise knows. */
function withReportedShortages(
  ports: ControllerRuntime['ports'],
  reports: readonly KarpenterReport[],
): ControllerRuntime['ports'] {
  const { unavailableOfferings } = ports;
  return {
    ...ports,
    unavailableOfferings: {
      list: async (now) => [
        ...(await unavailableOfferings.list(now)),
        ...findReportedShortages(reports).filter(({ until }) => until > now),
      ],
      mark: (...marks) => unavailableOfferings.mark(...marks),
    },
  };
}

/** Makes each kind of decision once, on reads of the cluster and on records in memory. */
async function decideWithoutActing({
  ports: real,
}: Pick<ControllerRuntime, 'ports'>): Promise<readonly (Decision | Confirmation)[]> {
  const decisions: (Decision | Confirmation)[] = [];
  const keep = async (decision: Decision | Confirmation): Promise<void> => void decisions.push(decision);
  const decisionLog: DecisionLog = {
    recordDecision: keep,
    recordConfirmation: keep,
    recordEvent: async () => {},
  };
  const noQueue: Ports['queue'] = { send: async () => {} };
  const ports = await createDryPorts({ ...real, queue: noQueue, decisionLog }, () => {});
  // An instance is adopted with the types of its NodePool, which need the resolved EC2NodeClass.
  await dispatch(ports, { topic: 'class' });
  await adoptInstancesInMemory(ports);
  for (const topic of ['plan', 'disrupt'] as const) await dispatch(ports, { topic });
  return decisions;
}
