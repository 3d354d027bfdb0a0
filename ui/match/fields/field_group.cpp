#include "ui/match/fields/field_group.h"
