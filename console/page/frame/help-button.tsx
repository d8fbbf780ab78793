import { Dialog, DialogTrigger, Heading, Popover } from 'react-aria-components';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { IconButton } from '../controls/icon-button.tsx';
import { HelpIcon } from '../controls/icons.tsx';
import { KEYS } from '../keys/keys.ts';
import { useUi } from '../ui/ui-context.ts';
import styles from './help-button.module.css';

export function HelpButton() {
  const { isHelpOpen, setHelpOpen, areKeysOn, setKeysOn } = useUi();
  return (
    <DialogTrigger isOpen={isHelpOpen} onOpenChange={setHelpOpen}>
      <IconButton label="Keys (?)">
        <HelpIcon />
      </IconButton>
      <Popover className={cx(controls.popover)} placement="bottom end">
        <Dialog>
          <Heading slot="title" className={cx(controls.title)}>
            Keys
          </Heading>
          <dl className={cx(styles.keys)}>
            {KEYS.map(({ shown, does }) => (
              <div key={shown}>
                <dt>
                  <kbd>{shown}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <label className={cx(styles.choice)}>
            <input type="checkbox" checked={areKeysOn} onChange={({ target }) => setKeysOn(target.checked)} />
            Letters, digits and signs are keys of this page
          </label>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
