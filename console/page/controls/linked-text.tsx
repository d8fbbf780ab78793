import type { ReactNode } from 'react';
import { Fragment } from 'react';
import { Button } from 'react-aria-components';
import type { Sentence } from '../../explanation.ts';
import type { ObjectRef } from '../../views.ts';
import { cx } from '../class-names.ts';
import { useUi } from '../ui/ui-context.ts';
import styles from './controls.module.css';
import { splitAtObjects } from './split-at-objects.ts';

/** A sentence whose objects are links to their explanations. */
export function LinkedText({ text, objects }: Sentence): ReactNode {
  return splitAtObjects(text, objects).map(({ at, part, object }) =>
    object ? (
      <ObjectLink key={at} object={object} text={part} />
    ) : (
      <Fragment key={at}>{part}</Fragment>
    ),
  );
}

export function ObjectLink({
  object,
  text,
}: {
  readonly object: ObjectRef;
  readonly text: string;
}) {
  const { select } = useUi();
  return (
    <Button className={cx(styles.link)} onPress={() => select(object)}>
      {text}
    </Button>
  );
}
