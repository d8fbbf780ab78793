import type { FocusEvent, KeyboardEvent } from 'react';
import { useRef, useState } from 'react';
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { SearchIcon } from '../controls/icons.tsx';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import type { Finding } from './find-objects.ts';
import { findObjects } from './find-objects.ts';
import styles from './search.module.css';

/** Finds pods and nodes by a part of their name; Enter opens the first or the selected one. */
export function ObjectSearch() {
  const { select } = useUi();
  const model = usePage((state) => state.model);
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const items = findObjects(model, text);

  const leave = () => {
    setText('');
    // Global keys are ignored while the field has the focus.
    input.current?.blur();
  };

  const choose = (id: string) => {
    const item = items.find((candidate) => candidate.id === id);
    if (item) select(item.object);
    leave();
  };

  // A click on an option returns the focus to the field afterwards.
  const chooseInList = (id: string) => {
    choose(id);
    requestAnimationFrame(leave);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const [first] = items;
    if (event.key === 'Escape' && text === '') leave();
    if (event.key !== 'Enter' || !first || isInList(input.current)) return;
    event.preventDefault();
    event.stopPropagation();
    choose(first.id);
  };

  // Arrow keys move a virtual focus into the list, which the input reports as blur.
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) setText('');
  };

  return (
    <search className={cx(styles.search)} onBlur={onBlur} onKeyDownCapture={onKeyDown}>
      {/* By default the list keeps the option that was first before the last letter. */}
      <Autocomplete inputValue={text} onInputChange={setText} disableAutoFocusFirst={true}>
        <SearchField
          aria-label="Find a pod or node"
          className={cx(styles.field)}
          data-search="true"
        >
          <SearchIcon />
          <Input ref={input} placeholder="Find a pod or node" className={cx(styles.input)} />
          <span className={cx(styles.hint)} aria-hidden="true">
            /
          </span>
        </SearchField>
        {text !== '' && <Findings items={items} onChoose={chooseInList} />}
      </Autocomplete>
    </search>
  );
}

/** After an arrow key the list knows the selected option. */
const isInList = (input: HTMLInputElement | null): boolean =>
  input?.hasAttribute('aria-activedescendant') === true;

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
