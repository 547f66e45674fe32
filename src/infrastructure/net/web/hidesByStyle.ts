const hiding =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*0*(?:\.0+)?(?<=0)(?:[a-z]+|%)?)\s*(?:!\s*important\s*)?(?:;|$)/i;

/** Whether the `style` attribute of an element keeps it from the eyes of a reader, but not from a program. */
export function hidesByStyle(style: string): boolean {
  return hiding.test(style);
}
