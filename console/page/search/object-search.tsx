import type { FocusEvent } from 'react';
import { useState } from 'react';
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { SearchIcon } from '../controls/icons.tsx';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import type { Finding } from './found.ts';
import { found } from './found.ts';
import styles from './search.module.css';

/** Finds pods and nodes by any part of their name. */
export function ObjectSearch() {
  const { select } = useUi();
  const model = usePage((state) => state.model);
  const [text, setText] = useState('');
  const items = found(model, text);

  const choose = (id: string) => {
    const item = items.find((candidate) => candidate.id === id);
    if (item) select(item.object);
    setText('');
  };

  // Arrow keys move a virtual focus into the list, which the input tells as a blur.
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) setText('');
  };

  return (
    <search className={cx(styles.search)} onBlur={onBlur}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField
          aria-label="Find a pod or node"
          className={cx(styles.field)}
          data-search="true"
        >
          <SearchIcon />
          <Input placeholder="Find a pod or node" className={cx(styles.input)} />
          <span className={cx(styles.hint)} aria-hidden="true">
            /
          </span>
        </SearchField>
        {text !== '' && <Findings items={items} onChoose={choose} />}
      </Autocomplete>
    </search>
  );
}

interface FindingsProps {
  readonly items: readonly Finding[];
  readonly onChoose: (id: string) => void;
}

function Findings({ items, onChoose }: FindingsProps) {
  return (
    <ListBox
      aria-label="Found"
      className={cx(controls.list, styles.findings)}
      items={items}
      onAction={(id) => onChoose(String(id))}
      renderEmptyState={() => <p className={cx(styles.none)}>Nothing of that name is here.</p>}
    >
      {({ id, object, about }) => (
        <ListBoxItem id={id} textValue={object.name} className={cx(controls.option)}>
          <span className={cx(styles.name)}>{object.name}</span>
          <span className={cx(styles.about)}>{about}</span>
        </ListBoxItem>
      )}
    </ListBox>
  );
}
