import { useCallback, useState } from 'react';

const KEY = 'mortise-keys';
const OFF = 'off';

export interface KeysChoice {
  /** False if letters and digits do nothing, for speech input and screen readers. */
  readonly areKeysOn: boolean;
  setKeysOn(areKeysOn: boolean): void;
}

/** Lets users switch off shortcuts of a single key (WCAG 2.1.4); the browser stores it. */
export function useKeys(): KeysChoice {
  const [areKeysOn, setOn] = useState(() => localStorage.getItem(KEY) !== OFF);
  const setKeysOn = useCallback((isOn: boolean) => {
    if (isOn) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, OFF);
    setOn(isOn);
  }, []);
  return { areKeysOn, setKeysOn };
}
