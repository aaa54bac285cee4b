// Half pages of the course that the program computes: what no other command shows, with numbers
// small enough for a pencil, or of the run.
#pragma once
#include "explain/course.h"

namespace zhuyi {

// ---- with numbers of their own (course_pages.cpp)

void rnn_page(Sheet& sheet, const CourseRun& run);              // a chain against one step
void library_page(Sheet& sheet, const CourseRun& run);          // one query, three keys
void cross_attention_page(Sheet& sheet, const CourseRun& run);  // two ask, two others answer
void residual_page(Sheet& sheet, const CourseRun& run);      // ‖dx‖ by depth, with and without
void three_scores_page(Sheet& sheet, const CourseRun& run);  // the tutorial's S → softmax
void heads_cost_page(Sheet& sheet, const CourseRun& run);    // the same weights for 1, 4, 8 heads
void split_page(Sheet& sheet, const CourseRun& run);         // which column is whose

// ---- of the run (course_of_run.cpp, course_looks.cpp)

void positions_page(Sheet& sheet, const CourseRun& run);  // P as a picture; two characters swapped
void memory_page(Sheet& sheet, const CourseRun& run);     // which unit fires for what
void spectrum_page(Sheet& sheet, const CourseRun& run);   // W_V · W_O of a head
void two_movements_page(Sheet& sheet, const CourseRun& run);  // by training, by context
void heat_map_page(Sheet& sheet, const CourseRun& run);       // the diagonal, measured
void roles_page(Sheet& sheet, const CourseRun& run);          // what each head does
void pronoun_page(Sheet& sheet, const CourseRun& run);        // whom the head of 他 looks at
void two_meanings_page(Sheet& sheet, const CourseRun& run);   // 苹果 in two contexts
void growth_page(Sheet& sheet, const CourseRun& run);         // ‖x‖ from block to block
void bank_page(Sheet& sheet, const CourseRun& run);           // 我去银行取钱

// ---- of the run, and of this machine (course_costs.cpp)

void cache_page(Sheet& sheet, const CourseRun& run);    // writing with the KV cache and without
void lengths_page(Sheet& sheet, const CourseRun& run);  // T² beside T

}  // namespace zhuyi
