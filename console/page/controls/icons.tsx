interface IconProps {
  readonly path: string;
}

/** A line drawing on a 16-pixel grid in the current text colour. */
function Icon({ path }: IconProps) {
  return (
    <svg width="15" height="15" viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

export const HelpIcon = () => (
  <Icon path="M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM6.2 6.2a1.8 1.8 0 1 1 2.5 1.7c-.5.2-.7.5-.7 1.1M8 11.4v.1" />
);
export const ThemeIcon = () => (
  <Icon path="M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 1.5v13M10 2.2v11.6M12 3.6v8.8M13.6 6v4" />
);
export const CloseIcon = () => <Icon path="m4 4 8 8M12 4l-8 8" />;
export const LinkIcon = () => (
  <Icon path="M6.5 9.5a2.8 2.8 0 0 0 4 0l2.4-2.4a2.8 2.8 0 0 0-4-4L8 4M9.5 6.5a2.8 2.8 0 0 0-4 0L3.1 8.9a2.8 2.8 0 0 0 4 4L8 12" />
);
export const WideIcon = () => <Icon path="M9.5 2.5h4v4M13.5 2.5l-5 5M6.5 13.5h-4v-4M2.5 13.5l5-5" />;
export const SearchIcon = () => <Icon path="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14" />;
export const PauseIcon = () => <Icon path="M5.5 3.5v9M10.5 3.5v9" />;
export const PlayIcon = () => <Icon path="m5 3 8 5-8 5Z" />;
export const ChevronIcon = () => <Icon path="m4.5 6.5 3.5 3.5 3.5-3.5" />;
