import { memoryUnavailableOfferings } from '../../../shared/memory/capacity-records.ts';
import { memoryCommands } from '../../../shared/memory/disruption-records.ts';
import { memoryNodeClaims, memoryNominations } from '../../../shared/memory/node-claims.ts';
import { memoryControllerRecords } from '../../../shared/memory/records.ts';
import { type EpochMs, SECOND_MS } from '../../../shared/model/time.ts';
import type { NodeClaims, RecordList, StoredNodeClaim } from '../../../shared/ports/records.ts';
import type { FaultPlan } from '../runtime/fault-plan.ts';

const createRecords = () => ({
  ...memoryControllerRecords(),
  nodeClaims: memoryNodeClaims(),
  commands: memoryCommands(),
  nominations: memoryNominations(),
  unavailableOfferings: memoryUnavailableOfferings(),
});

type Records = ReturnType<typeof createRecords>;
type StoreName = keyof Records;

/** The rows of all stores. They can be set back, as a restored backup does. */
export interface Table {
  readonly records: Records;
  /** All rows become what they were at `moment`. */
  setBack(moment: EpochMs): Promise<void>;
}

interface TableCall {
  readonly at: EpochMs;
  readonly store: StoreName;
  readonly method: string;
  readonly args: readonly unknown[];
}

/**
 * @param isKept - false if the table is never set back, so that no past is kept
 */
export function createTable(now: () => EpochMs, faults: FaultPlan, isKept: boolean): Table {
  let stores = createRecords();
  /** The calls until a moment, made again on empty stores, give the rows of that moment. */
  let calls: TableCall[] = [];

  const proxy = <K extends StoreName>(store: K): Records[K] =>
    new Proxy<Records[K]>(stores[store], {
      get:
        (_, method) =>
        (...args: readonly unknown[]): unknown => {
          const call = { at: now(), store, method: String(method), args };
          if (isKept && !isRead(call)) calls.push(call);
          return apply(call);
        },
    });
  const apply = ({ store, method, args }: TableCall): unknown => {
    const target = stores[store];
    const operation: unknown = Reflect.get(target, method);
    return typeof operation === 'function' ? Reflect.apply(operation, target, args) : undefined;
  };

  return {
    records: {
      leases: proxy('leases'),
      launches: proxy('launches'),
      commits: proxy('commits'),
      sweepState: proxy('sweepState'),
      planningState: proxy('planningState'),
      poolBackoffs: proxy('poolBackoffs'),
      registrationHealths: proxy('registrationHealths'),
      rollouts: proxy('rollouts'),
      nodeClasses: proxy('nodeClasses'),
      wakeUps: proxy('wakeUps'),
      learnedSizes: proxy('learnedSizes'),
      commands: proxy('commands'),
      nominations: proxy('nominations'),
      unavailableOfferings: proxy('unavailableOfferings'),
      nodeClaims: {
        ...proxy('nodeClaims'),
        ...withStaleLists(proxy('nodeClaims'), now, faults),
      },
    },
    async setBack(moment) {
      calls = calls.filter(({ at }) => at <= moment);
      stores = createRecords();
      for (const call of calls) await Promise.resolve(apply(call)).catch(() => {});
    },
  };
}

const isRead = ({ method }: TableCall): boolean => /^(find|list|latest|read|peek)/.test(method);

/** How long an old list is kept: DynamoDB promises "usually within a second". */
const KEEP_LISTS_MS = 3 * SECOND_MS;

/** Eventually consistent lists lack the latest writes if a fault says so. */
function withStaleLists(
  nodeClaims: NodeClaims,
  now: () => EpochMs,
  faults: FaultPlan,
): Pick<NodeClaims, 'list' | 'save'> {
  let past: { readonly until: EpochMs; readonly list: RecordList<StoredNodeClaim> }[] = [];
  return {
    async list(options) {
      const stale = options?.isEventual ? faults.strike('stale-list') : undefined;
      const moment = now() - (stale?.ms ?? 0);
      const old = stale && past.find(({ until }) => until > moment);
      return old?.list ?? nodeClaims.list(options);
    },
    async save(claim, expectedVersion) {
      const list = await nodeClaims.list();
      await nodeClaims.save(claim, expectedVersion);
      past = past.filter(({ until }) => until > now() - KEEP_LISTS_MS);
      past.push({ until: now(), list });
    },
  };
}
