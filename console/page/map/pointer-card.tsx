import { formatCpu, formatMemory, formatNodeUsd, formatPercent } from '../../format.ts';
import { dominantShare } from '../../views/amounts.ts';
import type { NodeView, PodView } from '../../views.ts';
import { cx } from '../class-names.ts';
import { NoteText } from '../controls/linked-text.tsx';
import { usePage } from '../store/use-page.ts';
import type { Scene } from './layout/scene.ts';
import styles from './pointer-card.module.css';

/** The object under the pointer and its position on the screen. */
export interface Spot {
  readonly node: string;
  /** Key of the pod under the pointer. */
  readonly pod?: string;
  readonly clientX: number;
  readonly clientY: number;
}

const WIDTH = 250;
const HEIGHT = 96;

/**
 * A summary of the object under the pointer. Keyboards and screen readers get it from the cell's
 * name.
 */
export function PointerCard({ scene, spot }: { readonly scene: Scene; readonly spot: Spot }) {
  const node = scene.boxes.get(spot.node)?.item.node;
  const pod = usePage(({ model }) => (spot.pod === undefined ? undefined : model?.pods.get(spot.pod)));
  if (!node) return null;
  const x = Math.min(spot.clientX + 14, window.innerWidth - WIDTH - 8);
  const top = spot.clientY + HEIGHT + 24 > window.innerHeight ? spot.clientY - HEIGHT : spot.clientY + 16;
  return (
    <div className={cx(styles.card)} style={{ left: x, top, width: WIDTH }} aria-hidden="true">
      {pod ? <PodLines pod={pod} node={node} /> : <NodeLines node={node} />}
    </div>
  );
}

function NodeLines({ node }: { readonly node: NodeView }) {
  const { requested, allocatable, hourlyUsd } = node;
  return (
    <>
      <strong>{node.name}</strong>
      <span>
        {[node.instanceType, node.capacityType, hourlyUsd && `${formatNodeUsd(hourlyUsd)}/h`]
          .filter(Boolean)
          .join(' · ')}
      </span>
      <span>
        CPU {formatCpu(requested.cpuMilli)} of {formatCpu(allocatable.cpuMilli)}, memory{' '}
        {formatMemory(requested.memoryMib)} of {formatMemory(allocatable.memoryMib)}
      </span>
      {node.note && <NoteText note={node.note} />}
      {node.holds.map((hold) => (
        <span key={hold}>{hold}</span>
      ))}
    </>
  );
}

function PodLines({ pod, node }: { readonly pod: PodView; readonly node: NodeView }) {
  const { cpuMilli, memoryMib, gpu } = pod.requests;
  const share = dominantShare(pod.requests, node.allocatable);
  return (
    <>
      <strong>{pod.key}</strong>
      <span>
        {formatCpu(cpuMilli)} CPU, {formatMemory(memoryMib)}
        {gpu > 0 && `, ${gpu} GPU`} · {pod.state}
      </span>
      <span>
        {formatPercent(share)} of {node.name}
        {node.hourlyUsd !== undefined && `, ${formatNodeUsd(share * node.hourlyUsd)}/h`}
      </span>
    </>
  );
}
