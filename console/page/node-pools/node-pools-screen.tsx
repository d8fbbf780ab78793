import { useCallback, useState } from 'react';
import { Button } from 'react-aria-components';
import { HOURS_PER_MONTH } from '../../../shared/model/time.ts';
import {
  formatCount,
  formatDuration,
  formatMinute,
  formatMonthlyUsd,
  formatPercent,
  formatTime,
  formatUsd,
  plural,
} from '../../format.ts';
import type { BudgetStretch, PoolsView, PoolView, SubnetView } from '../../screen-views.ts';
import type { UnavailableView } from '../../views.ts';
import { cx, VISUALLY_HIDDEN } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { ObjectLink } from '../controls/linked-text.tsx';
import { getPools } from '../store/api.ts';
import { useUi } from '../ui/ui-context.ts';
import { usePolled } from '../ui/use-polled.ts';
import { useReady } from '../ui/use-ready.ts';
import styles from './node-pools.module.css';

/** Each NodePool with its limits, budgets, drift and the offerings that it cannot get. */
export function NodePoolsScreen() {
  const { at } = useUi();
  const view = usePolled(useCallback(() => getPools(at), [at]));
  useReady(view !== undefined);
  return (
    <section
      className={cx(styles.screen)}
      aria-label="NodePools"
      data-testid="node-pools"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the screen.
      tabIndex={0}
    >
      {view === undefined && <p className={cx(styles.empty)}>Reading the NodePools …</p>}
      {view?.pools.length === 0 && (
        <p className={cx(styles.empty)}>
          No NodePools. Mortise launches nodes for pods after the first one is created.
        </p>
      )}
      {view?.pools.map((pool) => (
        <Pool key={pool.name} pool={pool} view={view} />
      ))}
    </section>
  );
}

function Pool({ pool, view }: { readonly pool: PoolView; readonly view: PoolsView }) {
  const { name, weight, nodeClass, resources, replicas, notReady, nodes, hourlyUsd, inProgress } = pool;
  return (
    <article className={cx(styles.pool)} data-testid={`pool-${name}`}>
      <header className={cx(styles.head)}>
        <h2>
          <ObjectLink object={{ kind: 'nodepool', name }} text={name} />
        </h2>
        <p>
          {plural(nodes, 'node')}, {formatUsd(hourlyUsd)} an hour, {formatMonthlyUsd(hourlyUsd * HOURS_PER_MONTH)} a
          month
        </p>
      </header>
      {notReady !== undefined && <p className={cx(styles.notReady)}>Not ready. {notReady}</p>}
      <dl className={cx(styles.facts)}>
        <Fact title="Weight">{weight}</Fact>
        {replicas !== undefined && <Fact title="Replicas">{replicas}</Fact>}
        <Fact title="EC2NodeClass">{nodeClass}</Fact>
        {resources && (
          <>
            <Fact title="AMIs">
              <LongList lines={resources.images.map(({ id, name }) => `${name} (${id})`)} />
            </Fact>
            <Fact title="Subnets">
              <LongList lines={resources.subnets.map(describeSubnet)} />
            </Fact>
          </>
        )}
        <Fact title="Requested">
          {nodes === 0
            ? 'no nodes'
            : `CPU ${requestedText(pool, 'cpuMilli')}, memory ${requestedText(pool, 'memoryMib')}`}
        </Fact>
        <Fact title="Limits">
          <Limits limits={pool.limits} />
        </Fact>
        <Fact title="Requirements">
          {pool.requirements.length === 0 ? 'none' : <Lines lines={pool.requirements} />}
        </Fact>
        {pool.hours !== undefined && <Fact title="Hours">{pool.hours}</Fact>}
        {pool.onDemand !== undefined && <Fact title="On demand">{pool.onDemand}</Fact>}
        <Fact title="Being removed">{plural(inProgress, 'node')}</Fact>
        {pool.rollout !== undefined && <Fact title="Rollout">{pool.rollout}</Fact>}
        <Fact title="Drifted nodes">
          <Drifted drifted={pool.drifted} />
        </Fact>
        <Fact title="Without capacity">
          <LongList lines={pool.unavailable.map((one) => describeUnavailable(one, view.at))} />
        </Fact>
      </dl>
      <BudgetStretches pool={pool} from={view.at} to={view.to} />
    </article>
  );
}

function Fact({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The share of a resource that pods request. */
const requestedText = ({ requested, allocatable }: PoolView, resource: 'cpuMilli' | 'memoryMib'): string =>
  allocatable[resource] > 0 ? formatPercent(requested[resource] / allocatable[resource]) : '–';

function Limits({ limits }: Pick<PoolView, 'limits'>) {
  if (limits.length === 0) return 'none';
  return (
    <ul>
      {limits.map(({ resource, used, limit, share }) => (
        <li key={resource} className={cx(styles.limit)}>
          <span>
            {resource} {used} of {limit}
          </span>
          <meter aria-label={`${resource} in use`} min={0} max={1} high={0.9} value={Math.min(1, share)} />
        </li>
      ))}
    </ul>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ul>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

const describeSubnet = ({ id, zone, freeAddresses }: SubnetView): string =>
  `${id} in ${zone}, ${freeAddresses === undefined ? 'free addresses not known' : `${formatCount(freeAddresses)} free addresses`}`;

const SHOWN_LINES = 8;

/** Shows the first lines, and a button for the others: after the loss of a zone, hundreds of offerings have no capacity. */
function LongList({ lines }: { readonly lines: readonly string[] }) {
  const [areAllShown, setAllShown] = useState(false);
  if (lines.length === 0) return 'none';
  const shown = areAllShown ? lines : lines.slice(0, SHOWN_LINES);
  const more = lines.length - shown.length;
  return (
    <>
      <Lines lines={shown} />
      {more > 0 && (
        <Button className={cx(controls.button)} onPress={() => setAllShown(true)}>
          Show {formatCount(more)} more
        </Button>
      )}
    </>
  );
}

const describeUnavailable = ({ text, until }: UnavailableView, now: number): string =>
  `${text}, asked again at ${formatTime(until)} (in ${formatDuration(until - now)})`;

const MAX_DRIFTED = 12;

function Drifted({ drifted }: Pick<PoolView, 'drifted'>) {
  if (drifted.length === 0) return 'none';
  const more = drifted.length - MAX_DRIFTED;
  return (
    <ul>
      {drifted.slice(0, MAX_DRIFTED).map(({ node, text }) => (
        <li key={node}>
          <ObjectLink object={{ kind: 'node', name: node }} text={node} />: {text}
        </li>
      ))}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  );
}

interface BudgetStretchesProps {
  readonly pool: PoolView;
  readonly from: number;
  readonly to: number;
}

/** For each reason a bar of the next 24 hours: its parts are the times in which the budgets allow equally many nodes. */
function BudgetStretches({ pool, from, to }: BudgetStretchesProps) {
  return (
    <section className={cx(styles.budgets)} aria-label={`Disruption budgets of ${pool.name}`}>
      <h3>Nodes that may be disrupted at a time, next 24 h</h3>
      <ul>
        {pool.budgets.map(({ reason, stretches }) => (
          <li key={reason} className={cx(styles.budget)}>
            <span>{reason}</span>
            <ol className={cx(styles.bar)}>
              {stretches.map((stretch) => (
                <li
                  key={stretch.from}
                  data-closed={stretch.nodes === 0 || undefined}
                  style={{ flexGrow: (stretch.to - stretch.from) / (to - from) }}
                  title={describeStretch(stretch)}
                >
                  <span aria-hidden="true">{countText(stretch)}</span>
                  <span className={VISUALLY_HIDDEN}>{describeStretch(stretch)}</span>
                </li>
              ))}
            </ol>
          </li>
        ))}
      </ul>
      <p className={cx(styles.ends)} aria-hidden="true">
        <span>{formatMinute(from)}</span>
        <span>{formatMinute(to)} tomorrow</span>
      </p>
    </section>
  );
}

const countText = ({ nodes }: BudgetStretch): string => (nodes === undefined ? 'all' : `${nodes}`);

const describeStretch = (stretch: BudgetStretch): string =>
  `${formatMinute(stretch.from)} to ${formatMinute(stretch.to)}: ${countText(stretch)}`;
