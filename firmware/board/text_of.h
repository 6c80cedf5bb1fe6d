/* Converts the value of a macro to text. */
#ifndef TEXT_OF_H
#define TEXT_OF_H

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)

#endif
