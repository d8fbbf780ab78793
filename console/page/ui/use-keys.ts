import { useCallback, useState } from 'react';

const STORAGE_KEY = 'mortise-keys';
const OFF = 'off';

export interface KeysChoice {
  /** False if letters and digits do nothing, for speech input and screen readers. */
  readonly areKeysOn: boolean;
  setKeysOn(areKeysOn: boolean): void;
}

/** Lets users switch off shortcuts of a single key (WCAG 2.1.4); the browser stores it. */
export function useKeys(): KeysChoice {
  const [areKeysOn, setOn] = useState(() => localStorage.getItem(STORAGE_KEY) !== OFF);
  const setKeysOn = useCallback((isOn: boolean) => {
    if (isOn) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, OFF);
    setOn(isOn);
  }, []);
  return { areKeysOn, setKeysOn };
}
