import { useState } from 'react';
import { Button } from 'react-aria-components';
import { cx } from '../class-names.ts';
import controls from './controls.module.css';

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly testId?: string;
}

/** Puts the text on the clipboard, and says so until another text is shown. */
export function CopyButton({ text, label, testId }: CopyButtonProps) {
  const [copied, setCopied] = useState<string>();
  return (
    <Button
      className={cx(controls.button)}
      data-testid={testId}
      onPress={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}
    >
      {copied === text ? 'Copied' : label}
    </Button>
  );
}
