import type { ReactNode } from 'react';
import { useState } from 'react';
import { Button, Dialog, DialogTrigger, Heading, Popover } from 'react-aria-components';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import type { PlayResult } from '../store/api.ts';

interface PlayDialogProps {
  readonly name: 'scale' | 'interrupt' | 'shortage' | 'drift' | 'zone' | 'spot-prices' | 'reset';
  /** Label of the button that opens the dialog. */
  readonly label: string;
  readonly title: string;
  /** Label of the button that runs the action. */
  readonly action: string;
  readonly isReady: boolean;
  readonly onAct: () => Promise<PlayResult>;
  readonly children: ReactNode;
}

/** A dialog with a few fields and one button; the result shows in the feed. */
export function PlayDialog({ name, label, title, action, isReady, onAct, children }: PlayDialogProps) {
  const [problem, setProblem] = useState('');
  const act = async (close: () => void) => {
    const result = await onAct().catch(
      (): PlayResult => ({ outcome: 'refused', why: 'No contact with the playground.' }),
    );
    setProblem(result.outcome === 'refused' ? result.why : '');
    if (result.outcome === 'done') close();
  };
  return (
    <DialogTrigger onOpenChange={() => setProblem('')}>
      <Button className={cx(controls.button)} data-testid={`play-${name}`}>
        {label}
      </Button>
      <Popover className={cx(controls.popover)} placement="top end">
        <Dialog>
          {({ close }) => (
            <>
              <Heading slot="title" className={cx(controls.title)}>
                {title}
              </Heading>
              {children}
              {problem !== '' && (
                <p className={cx(controls.problem)} role="alert">
                  {problem}
                </p>
              )}
              <div className={cx(controls.actions)}>
                <Button
                  className={cx(controls.button, controls.primary)}
                  isDisabled={!isReady}
                  onPress={() => void act(close)}
                >
                  {action}
                </Button>
                <Button className={cx(controls.button)} onPress={close}>
                  Cancel
                </Button>
              </div>
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
