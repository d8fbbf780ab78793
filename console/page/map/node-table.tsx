import { useMemo } from 'react';
import { formatDuration, formatNodeUsd, formatPercent } from '../../format.ts';
import type { Amounts } from '../../views.ts';
import { cx } from '../class-names.ts';
import { NoteText, ObjectLink } from '../controls/linked-text.tsx';
import type { NodeWithPods } from '../store/cluster-model.ts';
import { usePage } from '../store/use-page.ts';
import { type Column, DataTable } from '../table/data-table.tsx';
import { useUi } from '../ui/ui-context.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import { useReady } from '../ui/use-ready.ts';
import styles from './node-table.module.css';

const NO_NODES: ReadonlyMap<string, NodeWithPods> = new Map();
type Resource = keyof Pick<Amounts, 'cpuMilli' | 'memoryMib'>;

const shareOf = ({ node: { requested, allocatable } }: NodeWithPods, resource: Resource) =>
  allocatable[resource] > 0 ? requested[resource] / allocatable[resource] : undefined;

const shareColumn = (title: string, resource: Resource): Column<NodeWithPods> => ({
  ...{ id: resource, title, align: 'end' },
  value: (item) => shareOf(item, resource),
  show: (item) => formatPercent(shareOf(item, resource) ?? Number.NaN),
});

const COLUMNS: readonly Column<NodeWithPods>[] = [
  {
    ...{ id: 'name', title: 'Node' },
    value: ({ node }) => node.name,
    show: ({ node }) => <ObjectLink object={{ kind: 'node', name: node.name }} text={node.name} />,
  },
  {
    ...{ id: 'state', title: 'State' },
    value: ({ node }) => node.note?.text ?? node.state,
    show: ({ node }) => (node.note ? <NoteText note={node.note} /> : node.state),
  },
  { id: 'type', title: 'Type', value: ({ node }) => node.instanceType },
  { id: 'capacity', title: 'Capacity', value: ({ node }) => node.capacityType },
  shareColumn('CPU', 'cpuMilli'),
  shareColumn('Memory', 'memoryMib'),
  {
    ...{ id: 'usd', title: 'USD per hour', align: 'end' },
    value: ({ node }) => node.hourlyUsd,
    show: ({ node }) => (node.hourlyUsd === undefined ? '–' : formatNodeUsd(node.hourlyUsd)),
  },
  { id: 'pods', title: 'Pods', align: 'end', value: ({ pods }) => pods.length },
  { id: 'zone', title: 'Zone', value: ({ node }) => node.zone },
  { id: 'pool', title: 'NodePool', value: ({ node }) => node.pool },
  {
    ...{ id: 'created', title: 'Age', align: 'end' },
    value: ({ node }) => new Date(node.bornAt).toISOString(),
    show: ({ node }) => <Age since={node.bornAt} />,
  },
];

/** The nodes of the map as a table. */
export function NodeTable() {
  const nodes = usePage(({ model }) => model?.nodes);
  const rows = useMemo(() => [...(nodes ?? NO_NODES).values()], [nodes]);
  const { selected, filter, setFilter } = useUi();
  useReady(nodes !== undefined);
  return (
    <section className={cx(styles.view)} aria-label="Nodes">
      <DataTable
        name="nodes"
        testId="node-table"
        columns={COLUMNS}
        rows={rows}
        getKey={({ node }) => node.name}
        start={{ column: 'name', direction: 'ascending' }}
        filter={{ text: filter, onChange: setFilter }}
        selected={selected?.kind === 'node' ? selected.name : undefined}
      />
    </section>
  );
}

function Age({ since }: { readonly since: number }) {
  const now = useClusterNow(1_000);
  return formatDuration(Math.max(0, now - since));
}
