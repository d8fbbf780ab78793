import { useCallback, useEffect, useState } from 'react';
import type { Address } from './address.ts';
import { readAddress, writeAddress } from './address.ts';

/** The page's address as state: changes go into the URL, and back and forward bring them back. */
export function useAddress(): readonly [Address, (change: Partial<Address>) => void] {
  const [address, setAddress] = useState(() => readAddress(location.hash));

  useEffect(() => {
    const onHash = () => setAddress(readAddress(location.hash));
    window.addEventListener('hashchange', onHash);
    return () => window.removeEventListener('hashchange', onHash);
  }, []);

  const change = useCallback((part: Partial<Address>) => {
    const next = { ...readAddress(location.hash), ...part };
    // Looking around leaves no trail of steps for the browser's "back" to walk through.
    history.replaceState(null, '', writeAddress(next));
    setAddress(next);
  }, []);

  return [address, change];
}
