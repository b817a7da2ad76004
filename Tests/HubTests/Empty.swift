// The room's tests come with its first type.
