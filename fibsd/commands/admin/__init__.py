"""Administration without touching files: by administrators on-line, and by `fibsd admin` on the machine."""
