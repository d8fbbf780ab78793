import type { WorkloadRow } from '../../explanation.ts';
import { formatCount, formatCpu, formatMemory } from '../../format.ts';
import { cx } from '../class-names.ts';
import { NamespaceTile } from '../controls/namespace-tile.tsx';
import styles from './explain.module.css';

export function Workloads({ rows }: { readonly rows: readonly WorkloadRow[] }) {
  return (
    <table className={cx(styles.table)}>
      <thead>
        <tr>
          <th scope="col">Workload</th>
          <th scope="col" className={cx(styles.number)}>
            Pods
          </th>
          <th scope="col" className={cx(styles.number)}>
            CPU
          </th>
          <th scope="col" className={cx(styles.number)}>
            Memory
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ namespace, workload, pods, cpuMilli, memoryMib }) => (
          <tr key={`${namespace}/${workload}`}>
            <th scope="row">
              <NamespaceTile namespace={namespace} /> {namespace}/{workload}
            </th>
            <td className={cx(styles.number)}>{formatCount(pods)}</td>
            <td className={cx(styles.number)}>{formatCpu(cpuMilli)}</td>
            <td className={cx(styles.number)}>{formatMemory(memoryMib)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
