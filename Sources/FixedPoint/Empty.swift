// The room's content comes with its first type.
