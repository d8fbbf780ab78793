import { useState } from 'react';
import { ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { SearchIcon } from '../controls/icons.tsx';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { found } from './found.ts';
import styles from './search.module.css';

/** Finds pods and nodes by any part of their name. */
export function ObjectSearch() {
  const { select } = useUi();
  const model = usePage((state) => state.model);
  const [text, setText] = useState('');
  const items = found(model, text);

  return (
    <ComboBox
      className={cx(styles.search)}
      data-search="true"
      aria-label="Find a pod or node"
      items={items}
      inputValue={text}
      onInputChange={setText}
      value={null}
      onChange={(key) => {
        const item = items.find(({ id }) => id === key);
        if (item) select(item.object);
        setText('');
      }}
      allowsEmptyCollection={text !== ''}
      menuTrigger="input"
    >
      <SearchIcon />
      <Input placeholder="Find a pod or node" className={cx(styles.input)} />
      <span className={cx(styles.hint)} aria-hidden="true">
        /
      </span>
      <Popover className={cx(styles.popover)}>
        <ListBox<(typeof items)[number]>
          className={cx(controls.list)}
          renderEmptyState={() => <p className={cx(styles.none)}>Nothing of that name is here.</p>}
        >
          {(item) => (
            <ListBoxItem id={item.id} textValue={item.object.name} className={cx(controls.option)}>
              <span className={cx(styles.name)}>{item.object.name}</span>
              <span className={cx(styles.about)}>{item.about}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
