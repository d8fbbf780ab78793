import { cx } from '../class-names.ts';
import { CapacityGlyph } from '../controls/capacity-glyph.tsx';
import { NamespaceTile } from '../controls/namespace-tile.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { type Area, listAreas } from './layout/box-content.ts';
import styles from './map-toolbar.module.css';

const NONE: readonly string[] = [];
const CAPACITY_TYPES = ['spot', 'on-demand', 'reserved'] as const;

export function MapToolbar() {
  const { view, setView } = useUi();
  const namespaces = usePage(({ model }) => model?.namespaces ?? NONE);
  return (
    <div className={cx(styles.bar)}>
      <Segmented
        label="Show the nodes as"
        testId="view"
        value={view}
        onChange={setView}
        options={[
          { value: 'map', text: 'Map' },
          { value: 'table', text: 'Table' },
        ]}
      />
      {view === 'map' && <MapOptions />}
      <ul className={cx(styles.legend, styles.namespaces)} aria-label="Namespaces by colour">
        {namespaces.slice(0, 6).map((name) => (
          <li key={name}>
            <NamespaceTile namespace={name} />
            {name}
          </li>
        ))}
        {namespaces.length > 6 && (
          <li>
            <NamespaceTile namespace={namespaces[6] ?? ''} />
            {namespaces.length - 6} more
          </li>
        )}
      </ul>
      <ul className={cx(styles.legend)} aria-label="Capacity types by shape">
        {CAPACITY_TYPES.map((capacityType) => (
          <li key={capacityType}>
            <CapacityGlyph capacityType={capacityType} /> {capacityType}
          </li>
        ))}
      </ul>
    </div>
  );
}

const AREA_NAMES: Readonly<Record<Area, string>> = {
  ...{ dominant: 'Dominant', cpu: 'CPU', memory: 'Memory', gpu: 'GPU' },
};

function MapOptions() {
  const { grouping, area, setGrouping, setArea } = useUi();
  const gpus = usePage(({ model }) => model?.totals.allocatable.gpu ?? 0);
  return (
    <>
      <span className={cx(styles.label)}>Group</span>
      <Segmented
        label="Group nodes by"
        value={grouping}
        onChange={setGrouping}
        options={[
          { value: 'zone', text: 'Zone' },
          { value: 'pool', text: 'Pool' },
          { value: 'type', text: 'Type' },
        ]}
      />
      <span className={cx(styles.label)}>Area</span>
      <Segmented
        label="Area of a pod is its share of"
        value={area}
        onChange={setArea}
        options={listAreas(gpus).map((value) => ({ value, text: AREA_NAMES[value] }))}
      />
    </>
  );
}
