#ifndef STORAGE_AUTH_ALLOCATION_COUNTER_H
#define STORAGE_AUTH_ALLOCATION_COUNTER_H

/// How many blocks this process has allocated so far, or -1 where that cannot be counted.
long allocation_count(void);

#endif
