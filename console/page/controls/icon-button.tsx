import type { ReactNode } from 'react';
import { Button, Tooltip, TooltipTrigger } from 'react-aria-components';
import { cx } from '../class-names.ts';
import styles from './controls.module.css';

interface IconButtonProps {
  readonly label: string;
  readonly children: ReactNode;
  readonly onPress?: () => void;
  readonly isPressed?: boolean;
}

/** A button with an icon and an accessible name. */
export function IconButton({ label, children, onPress, isPressed }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500}>
      <Button
        aria-label={label}
        className={cx(styles.icon)}
        {...(onPress && { onPress })}
        {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
      >
        {children}
      </Button>
      <Tooltip className={cx(styles.tooltip)} offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}
