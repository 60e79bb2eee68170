// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#ifndef STORAGE_AUTH_ALLOCATION_COUNTER_H
#define STORAGE_AUTH_ALLOCATION_COUNTER_H

/// Returns the number of blocks that this process has allocated so far, or -1 if they cannot be counted.
long allocation_count(void);

#endif
