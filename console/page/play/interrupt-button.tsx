import { useState } from 'react';
import type { NodeView } from '../../views.ts';
import { SelectField } from '../controls/select-field.tsx';
import { postPlay } from '../store/api.ts';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { PlayDialog } from './play-dialog.tsx';

const NOTICES = [
  { id: 'spot-interruption', text: 'Interruption: gone in two minutes' },
  { id: 'rebalance-recommendation', text: 'Rebalance recommendation: at risk' },
] as const;

export function InterruptButton() {
  const { selected } = useUi();
  const nodes = usePage(({ model }) => model?.nodes);
  const [chosen, setChosen] = useState<string>();
  const [notice, setNotice] = useState<string>(NOTICES[0].id);

  const spot = [...(nodes?.values() ?? [])].map(({ node }) => node).filter(canBeInterrupted);
  const selectedNode = chosen ?? (selected?.kind === 'node' ? selected.name : undefined);
  const node = spot.find(({ name }) => name === selectedNode) ?? spot[0];

  return (
    <PlayDialog
      name="interrupt"
      label="Interrupt"
      title="Interrupt a node"
      action="Interrupt"
      isReady={node !== undefined}
      onAct={() => postPlay('interrupt', { node: node?.name, notice })}
    >
      <SelectField
        label={spot.length === 0 ? 'There is no spot node now' : 'Spot node'}
        choices={spot.map(({ name, instanceType, zone }) => ({
          id: name,
          text: `${name}, ${instanceType} in ${zone}`,
        }))}
        value={node?.name ?? ''}
        onChange={setChosen}
      />
      <SelectField label="Notice from EC2" choices={NOTICES} value={notice} onChange={setNotice} />
    </PlayDialog>
  );
}

/** EC2 interrupts spot instances only, and each only once. */
const canBeInterrupted = ({ capacityType, state, node }: NodeView): boolean =>
  capacityType === 'spot' && node !== undefined && state !== 'interrupted' && state !== 'draining';
