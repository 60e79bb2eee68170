#include "instruction_counter.h"
